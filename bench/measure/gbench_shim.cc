// Google Benchmark behind a C interface.
#include "bench/measure/gbench_shim.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace
{

// Keeps the one run of the one repetition instead of printing it.
class KeepRun : public benchmark::BenchmarkReporter
{
  public:
    bool ReportContext(const Context &) override
    {
        return true;
    }

    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs) {
            if (run.run_type != Run::RT_Iteration)
                continue;
            ok = !run.error_occurred;
            result.manual_s = run.real_accumulated_time;
            result.cpu_s = run.cpu_accumulated_time;
        }
    }

    bool ok = false;
    bo_gbench_result result = {};
};

} // namespace

extern "C" bool bo_gbench_run(const bo_gbench_case *bench, bo_gbench_result *result_ret)
{
    benchmark::ClearRegisteredBenchmarks();
    benchmark::RegisterBenchmark(bench->name,
                                 [bench](benchmark::State &state) {
                                     for (auto _ : state) {
                                         const double seconds = bench->batch(bench->context);
                                         if (seconds < 0) {
                                             state.SkipWithError("gave up");
                                             break;
                                         }
                                         state.SetIterationTime(seconds);
                                     }
                                 })
        ->UseManualTime()
        ->Iterations(static_cast<benchmark::IterationCount>(bench->n_batches))
        ->Repetitions(1);

    KeepRun reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter, ".");
    *result_ret = reporter.result;
    return reporter.ok;
}

extern "C" json_t *bo_gbench_machine(void)
{
    const benchmark::CPUInfo &cpu = benchmark::CPUInfo::Get();
    json_t *caches = json_array(), *load_avg = json_array();
    for (const auto &cache : cpu.caches)
        json_array_append_new(caches, json_pack("{s:s, s:i, s:i, s:i}", "type", cache.type.c_str(),
                                                "level", cache.level, "size", cache.size,
                                                "num_sharing", cache.num_sharing));
    for (const double load : cpu.load_avg)
        json_array_append_new(load_avg, json_real(load));
    return json_pack("{s:i, s:i, s:b, s:o, s:o}", "num_cpus", cpu.num_cpus, "mhz_per_cpu",
                     static_cast<int>(cpu.cycles_per_second / 1e6 + 0.5), "cpu_scaling_enabled",
                     cpu.scaling == benchmark::CPUInfo::ENABLED, "caches", caches, "load_avg",
                     load_avg);
}

// Google Benchmark behind a C interface.
#include "bench/measure/gbench_shim.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
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

extern "C" void bo_gbench_describe_machine(bo_gbench_machine *machine_ret)
{
    const benchmark::CPUInfo &cpu = benchmark::CPUInfo::Get();
    *machine_ret = {};
    machine_ret->num_cpus = cpu.num_cpus;
    machine_ret->cycles_per_second = cpu.cycles_per_second;
    machine_ret->scaling = cpu.scaling == benchmark::CPUInfo::ENABLED    ? 1
                           : cpu.scaling == benchmark::CPUInfo::DISABLED ? 0
                                                                         : -1;
    machine_ret->n_load_avg = static_cast<unsigned>(std::min<size_t>(cpu.load_avg.size(), 3));
    std::copy_n(cpu.load_avg.begin(), machine_ret->n_load_avg, machine_ret->load_avg);
    for (const auto &from : cpu.caches) {
        if (machine_ret->n_caches == BO_GBENCH_MAX_CACHES)
            break;
        bo_gbench_cache &to = machine_ret->caches[machine_ret->n_caches++];
        snprintf(to.type, sizeof to.type, "%s", from.type.c_str());
        to.level = from.level;
        to.nbytes = from.size;
        to.num_sharing = from.num_sharing;
    }
}

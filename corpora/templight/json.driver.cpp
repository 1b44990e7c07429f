#include <nlohmann/json.hpp>
#include <string>
#include <vector>

int main()
{
    nlohmann::json j = {{"x", std::vector<double>{1, 2, 3}}, {"name", "held out"}};
    const auto parsed = nlohmann::json::parse(j.dump(2));
    return static_cast<int>(parsed.size());
}

-- What the Lua interpreter is profiled with: sorting, strings, patterns, tables, closures,
-- coroutines, errors. Usage: lua workload.lua N
local n = tonumber(arg[1])
local state = 1

local function draw(limit) -- the same numbers on every machine
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state % limit + 1
end

local function sort_words()
    local words = {}
    for i = 1, n do
        words[i] = string.format("%s-%05d", string.char(96 + draw(26)), draw(99999))
    end
    table.sort(words)
    table.sort(words, function(a, b) return a:sub(3) > b:sub(3) end)
    return table.concat(words, ",")
end

local function count_parts(text)
    local counts, matched = {}, 0
    for letter, digits in text:gmatch("(%a)%-(%d+)") do
        counts[letter] = (counts[letter] or 0) + tonumber(digits)
        matched = matched + 1
    end
    local swapped = text:gsub("(%a)%-(%d%d)", "%2%1"):upper():rep(2, "|"):reverse()
    return counts, matched, #swapped
end

local function primes()
    return coroutine.wrap(function()
        local composite = {}
        for i = 2, n do
            if not composite[i] then
                coroutine.yield(i)
                for k = i * i, n, i do composite[k] = true end
            end
        end
    end)
end

local Account = {}
Account.__index = Account
Account.__add = function(a, b) return setmetatable({sum = a.sum + b.sum}, Account) end
function Account:pay(amount)
    if amount > self.sum then error("not enough") end
    self.sum = self.sum - amount
end

local function accounts()
    local failed, total = 0, setmetatable({sum = 0}, Account)
    for i = 1, n do
        local account = setmetatable({sum = draw(100)}, Account)
        if not pcall(account.pay, account, draw(100)) then failed = failed + 1 end
        total = total + account
    end
    return failed, total.sum
end

local text = sort_words()
local counts, matched, length = count_parts(text)
local sum, n_primes = 0.0, 0
for p in primes() do
    n_primes = n_primes + 1
    sum = sum + 1 / p + math.sin(p) ^ 2
end
local built = load("local a, b = ... return a * b + #'" .. ("x"):rep(40) .. "'")
print(matched, length, n_primes, string.format("%.6f", sum), accounts(), built(6, 7))

module pctab

go 1.19

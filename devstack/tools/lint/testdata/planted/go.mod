module example.test/planted

go 1.26.0

require go.temporal.io/sdk v1.0.0

replace go.temporal.io/sdk => ./sdk

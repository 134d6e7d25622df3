package device

// What tests of queries on a device need of the tests of this package.
var (
	OpenFake  = openFake
	TestModel = testModel
	TestPlan  = testPlan
)

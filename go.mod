module github.com/efoc/efoc

go 1.26.0

// library
require (
	github.com/agext/levenshtein v1.2.3
	github.com/alecthomas/participle/v2 v2.1.4
	github.com/edsrzf/mmap-go v1.2.0
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875
	github.com/klauspost/compress v1.20.3
	github.com/natefinch/atomic v1.0.1
	github.com/rivo/uniseg v0.4.7
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
)

// efoc
require (
	github.com/VictoriaMetrics/metrics v1.45.0
	github.com/alecthomas/kong v1.17.0
	github.com/creachadair/jrpc2 v1.3.6
	github.com/dave/jennifer v1.7.1
	github.com/google/jsonschema-go v0.4.3
	github.com/jedib0t/go-pretty/v6 v6.8.3
	github.com/modelcontextprotocol/go-sdk v1.8.0
	github.com/piprate/json-gold v0.9.1
	golang.org/x/sync v0.24.0
	gonum.org/v1/gonum v0.17.0
	gorgonia.org/cu v0.9.6
)

// tests
require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/getkin/kin-openapi v0.152.0
	github.com/oasdiff/yaml v0.1.1
	github.com/prometheus/common v0.72.0
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/net v0.61.0
	golang.org/x/tools v0.52.0
	google.golang.org/protobuf v1.36.12
	pgregory.net/rapid v1.3.0
)

require (
	github.com/cayleygraph/quad v1.3.0 // indirect
	github.com/creachadair/mds v0.31.0 // indirect
	github.com/go-openapi/jsonpointer v1.0.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/gorilla/mux v1.8.0 // indirect
	github.com/kr/pretty v0.3.1 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/oasdiff/yaml3 v0.0.14 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/pquerna/cachecontrol v0.2.0 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/valyala/fastrand v1.1.0 // indirect
	github.com/valyala/histogram v1.2.0 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)

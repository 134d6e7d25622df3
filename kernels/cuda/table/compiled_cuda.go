//go:build cuda

package table

import _ "embed"

//go:embed table_compiled.tar.zst
var compiled []byte

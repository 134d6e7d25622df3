package transport

import (
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// refuseNew makes a TCP listener ignore new connections. Connections that the kernel has already accepted still
// arrive: closing the listener would reset them. Clients retry after a second, when another server may listen.
func refuseNew(l net.Listener) error {
	tcp, ok := l.(syscall.Conn)
	if _, is := l.Addr().(*net.TCPAddr); !ok || !is {
		return nil
	}
	conn, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	filter := []unix.SockFilter{ // of TCP headers, where the flags are byte 13
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: tcpSYN | tcpACK},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: tcpSYN, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},           // drop it
		{Code: unix.BPF_RET | unix.BPF_K, K: 0xffff_ffff}, // keep all of it
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("the socket takes no filter: %w", err)
	}
	return nil
}

// Flags of TCP.
const (
	tcpSYN = 0x02
	tcpACK = 0x10
)

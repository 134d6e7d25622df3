// Package atomicfile writes files whole or not at all. It writes to a temporary
// file in the same folder, flushes it to the disk, and renames it over the old
// file: after a crash, a full disk or an interrupt, the old file is unchanged.
//
// Renaming is left to github.com/natefinch/atomic, which on Windows asks the
// system to replace an existing file and to wait for the disk.
//
// A symbolic link is followed and stays as it is. An existing file keeps its mode,
// and one that may not be written to is refused. Other hard links to a file keep
// the old content.
//
// Terminals, pipes, sockets and other character devices are written to as they are:
// what has been read there cannot be taken back. So are files that are open already
// and named by that, as with /dev/stdout and the shell's >(command). Folders and
// disks are refused.
//
// Temporary names begin with a dot and end in .tmp, and nothing reads them. The next run that writes
// the same file removes the ones a killed run left; a lock that ends with the process protects the
// files of a live one.
package atomicfile

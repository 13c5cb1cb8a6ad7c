package doctor

import "syscall"

// space is the bytes free to us and in all on the file system of a folder.
func space(folder string) (free, total uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize)
	return s.Bavail * block, s.Blocks * block, nil
}

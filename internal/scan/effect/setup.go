package effect

import "path"

// setUpCommands prepare a container: they run no code of others by themselves.
var setUpCommands = map[string]bool{
	"addgroup": true, "adduser": true, "chgrp": true, "chmod": true, "chown": true, "cp": true, "date": true, "df": true, "echo": true,
	"find": true, "getent": true, "groupadd": true, "groupmod": true, "hostname": true, "id": true, "ifconfig": true, "install": true,
	"ip": true, "ip6tables": true, "iptables": true, "ldconfig": true, "ln": true, "ls": true, "mkdir": true, "mknod": true, "mount": true,
	"mv": true, "nft": true, "passwd": true, "ps": true, "rm": true, "rmdir": true, "setcap": true, "setfacl": true, "sleep": true,
	"swapoff": true, "sync": true, "sysctl": true, "touch": true, "true": true, "ulimit": true, "umount": true, "uname": true,
	"update-ca-certificates": true, "useradd": true, "usermod": true, "whoami": true,
}

// setsUp reports whether the command is one that only prepares.
func setsUp(argv []string) bool { return len(argv) > 0 && setUpCommands[path.Base(argv[0])] }

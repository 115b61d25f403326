package trace

// quiet are modules and functions of which no exception is worth following: none of them fails in a way that programs deal with.
var quiet = setOf(
	"logging", "time", "datetime", "typing", "types", "abc", "enum", "dataclasses", "itertools", "math", "random", "secrets", "uuid", "hashlib",
	"string", "textwrap", "threading", "queue", "collections", "warnings", "gc", "faulthandler", "traceback", "platform", "argparse",
	"weakref", "copy", "operator", "statistics", "pprint", "re", "optparse",
	"os.umask", "os.getpid", "os.getppid", "os.path.join", "os.path.exists", "os.path.dirname", "os.path.basename", "os.path.abspath",
	"os.path.realpath", "os.path.isfile", "os.path.isdir", "os.path.expanduser", "os.cpu_count", "os.urandom", "os.nice", "os.uname", "os.fspath",
	"sys.stdout.write", "sys.stderr.write", "sys.stdout.flush", "sys.stderr.flush", "sys.path.insert", "sys.path.append", "sys.getrefcount",
	"sys.setrecursionlimit", "sys.exc_info", "pathlib.Path", "signal.signal", "socket.socket", "asyncio.sleep", "asyncio.Event",
	"asyncio.Queue", "asyncio.Lock", "asyncio.Semaphore", "asyncio.get_event_loop", "asyncio.new_event_loop", "asyncio.set_event_loop",
	"asyncio.get_running_loop", "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor", "ctypes.CDLL",
	"ctypes.get_errno", "ctypes.set_errno", "ctypes.util.find_library", "ctypes.c_int", "ctypes.c_ulong", "atexit.register", "contextlib.nullcontext",
	"asyncio.TaskGroup", "contextlib.AsyncExitStack", "contextlib.ExitStack", "json.dumps", "functools.partial", "sys.settrace",
)

// alwaysThere are modules whose import does not fail.
func alwaysThere() map[string]bool {
	return setOf("sys", "os", "time", "logging", "io", "re", "json", "signal", "socket", "subprocess", "pwd", "grp", "asyncio", "threading",
		"contextlib", "functools", "importlib", "runpy", "ctypes", "pathlib", "typing", "dataclasses", "collections", "itertools", "types",
		"argparse", "shutil", "tempfile", "stat", "errno", "enum", "abc", "atexit", "select", "queue", "multiprocessing", "concurrent",
		"concurrent.futures", "http", "http.server", "urllib", "urllib.request", "urllib.parse", "secrets", "hashlib", "hmac", "base64",
		"uuid", "string", "textwrap", "math", "random", "operator", "copy", "traceback", "warnings", "resource", "platform", "fcntl",
		"posix", "builtins", "__future__", "struct", "datetime", "getpass", "glob", "shlex", "pprint", "inspect", "weakref", "gc", "socketserver",
		"code", "codeop", "pickle", "ssl", "csv", "gzip", "zipfile", "tarfile", "configparser", "unittest", "selectors", "ctypes.util",
		"os.path", "logging.handlers", "collections.abc", "importlib.util", "multiprocessing.pool", "http.client", "zipimport", "faulthandler")
}

func setOf(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

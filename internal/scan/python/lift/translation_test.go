package lift

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"

// translations are functions of testdata/constructs.py, as listing shows them.
var translations = []struct {
	version  pyc.Version
	function string
	want     string
}{
	{8, "returns_through_finally", `
0 load local x
1 call
2 store local <kept over the finally block at 4>
3 call finally 6
4 load local <kept over the finally block at 4>
5 return
6 load local x
7 load attribute close
8 null
9 call 1
10 pop
11 end finally
12 const None
13 return
[0, 2) to 6 with 0 and 6
`},
	{8, "returns_in_handler", `
0 load local x
1 load attribute run
2 null
3 call 1
4 pop
5 jump 53
6 copy 1
7 load global ValueError
8 match exception
9 swap 2
10 pop
11 jump if false 34
12 pop
13 store local e
14 pop
15 load local e
16 load attribute args
17 rot 4
18 pop exception 3
19 null
20 null
21 call finally 28
22 pop
23 pop
24 store local <kept over the finally block at 32>
25 call finally 59
26 load local <kept over the finally block at 32>
27 return
28 const None
29 store local e
30 delete local e
31 end finally
32 pop exception 3
33 jump 58
34 copy 1
35 load global KeyError
36 load global OSError
37 tuple 2
38 match exception
39 swap 2
40 pop
41 jump if false 52
42 pop
43 pop
44 pop
45 load local x
46 load attribute other
47 null
48 call 1
49 pop
50 pop exception 3
51 jump 58
52 end finally
53 load local x
54 load attribute fine
55 null
56 call 1
57 pop
58 begin finally
59 load local x
60 load attribute close
61 null
62 call 1
63 pop
64 end finally
65 const None
66 return
[0, 5) to 6 with 0 and 6
[5, 15) to 59 with 0 and 6
[15, 18) to 28 with 3 and 6
[18, 24) to 59 with 0 and 6
[28, 58) to 59 with 0 and 6
`},
	{9, "returns_through_finally", `
0 load local x
1 call
2 load local x
3 load attribute close
4 null
5 call 1
6 pop
7 return
8 load local x
9 load attribute close
10 null
11 call 1
12 pop
13 raise again 3
[0, 2) to 8 with 0 and 6
`},
	{10, "contexts", `
0 load local a
1 load attribute enter
2 null
3 call 1
4 with
5 store local f
6 load local b
7 load attribute open
8 const str of 1
9 const str of 1
10 call 2 (mode)
11 with
12 pop
13 load local f
14 load attribute use
15 null
16 call 1
17 pop
18 const None
19 copy 1
20 copy 1
21 call 3
22 pop
23 jump 32
24 exit with exception 7
25 jump if true 27
26 raise again 3
27 pop
28 pop
29 pop
30 pop exception 3
31 pop
32 const None
33 copy 1
34 copy 1
35 call 3
36 pop
37 jump 46
38 exit with exception 7
39 jump if true 41
40 raise again 3
41 pop
42 pop
43 pop
44 pop exception 3
45 pop
46 load local a
47 load attribute after
48 null
49 call 1
50 pop
51 const None
52 return
[5, 12) to 38 with 1 and 6
[12, 18) to 24 with 2 and 6
[18, 32) to 38 with 1 and 6
`},
	{11, "generates", `
0 const None
1 pop
2 load local x
3 load attribute first
4 null
5 call 1
6 yield
7 store local got
8 load local got
9 load attribute rest
10 null
11 call 1
12 iterate
13 const None
14 pop
15 yield from
16 jump 17
17 pop
18 const None
19 return
`},
	{12, "generates", `
0 const None
1 pop
2 load local x
3 load attribute first
4 null
5 call 1
6 yield
7 store local got
8 load local got
9 load attribute rest
10 null
11 call 1
12 iterate
13 const None
14 pop
15 copy 1
16 yield from
17 jump 18
18 swap 2
19 pop
20 pop
21 const None
22 return
23 raise again 1
[2, 18) to 23 with 0 and 2
[18, 23) to 23 with 0 and 2
`},
	{13, "Derived", `
0 load name __name__
1 store name __module__
2 const str of 7
3 store name __qualname__
4 const 85
5 store name __firstlineno__
6 load name argv
7 iterate
8 take local .0
9 take local n
10 swap 3
11 list
12 swap 2
13 next or jump 21
14 store local n
15 load local n
16 load attribute upper
17 null
18 call 1
19 append to list 2
20 jump 13
21 swap 3
22 store local n
23 store local .0
24 store name names
25 load closure __class__
26 tuple 1
27 const code y
28 function
29 set function attribute 8
30 store name y
31 const tuple of 0
32 store name __static_attributes__
33 load closure __class__
34 copy 1
35 store name __classcell__
36 return
37 swap 2
38 pop
39 swap 3
40 store local n
41 store local .0
42 raise again 1
[11, 21) to 37 with 3 and 1
`},
	{14, "contexts", `
0 load local a
1 load attribute enter
2 null
3 call 1
4 with
5 null
6 swap 2
7 store local f
8 load local b
9 load attribute open
10 null
11 const str of 1
12 const str of 1
13 call 2 1 (mode)
14 with
15 null
16 swap 2
17 pop
18 load local f
19 load attribute use
20 null
21 call 1
22 pop
23 const None
24 const None
25 const None
26 call 3 1
27 pop
28 const None
29 const None
30 const None
31 call 3 1
32 pop
33 load local a
34 load attribute after
35 null
36 call 1
37 pop
38 const None
39 return
40 push exception
41 exit with exception 5
42 bool
43 jump if true 45
44 raise again 1
45 pop
46 pop exception 1
47 pop
48 pop
49 pop
50 jump 28
51 copy 3
52 pop exception 1
53 raise again 1
54 push exception
55 exit with exception 5
56 bool
57 jump if true 59
58 raise again 1
59 pop
60 pop exception 1
61 pop
62 pop
63 pop
64 jump 33
65 copy 3
66 pop exception 1
67 raise again 1
[7, 17) to 54 with 2 and 2
[17, 23) to 40 with 4 and 2
[23, 28) to 54 with 2 and 2
[40, 46) to 51 with 6 and 2
[46, 54) to 54 with 2 and 2
[54, 60) to 65 with 4 and 2
`},
}

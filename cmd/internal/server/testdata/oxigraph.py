"""Answers SPARQL queries by Oxigraph: python oxigraph.py GRAPH.nt < queries.

Each line in is a query as a JSON string, each line out the sorted solutions without
repetitions, each as the values of its variables with blanks between them, true or false of
ASK, or the error in an object.
"""
import json
import sys

import pyoxigraph

store = pyoxigraph.Store()
store.bulk_load(path=sys.argv[1], format=pyoxigraph.RdfFormat.N_TRIPLES)
for line in sys.stdin:
    try:
        result = store.query(json.loads(line))
        if isinstance(result, pyoxigraph.QueryBoolean):
            answer = bool(result)
        else:
            answer = sorted({" ".join(term.value if term else "" for term in row) for row in result})
    except Exception as e:
        answer = {"error": str(e)}
    print(json.dumps(answer), flush=True)

"""Answers SPARQL queries by rdflib: python engine.py < cases.

Each line in is a graph in N-Triples with a query, as JSON. Each line out is the sorted list of solutions, each the
sorted texts NAME=VALUE of its variables, or true or false of ASK, or the sorted triples of DESCRIBE.
"""
import json
import sys

from rdflib import Graph

for line in sys.stdin:
    graph, query = json.loads(line)
    store = Graph()
    store.parse(data=graph, format="nt")
    result = store.query("PREFIX : <urn:efoc:> " + query)
    if result.type == "ASK":
        answer = result.askAnswer
    elif result.type == "DESCRIBE":
        # With the facts of blank nodes, if there are any, and of objects of none.
        answer = sorted(" ".join(term.n3() for term in triple) for triple in result.graph)
    else:
        answer = sorted(sorted("%s=%s" % (v, row[v]) for v in result.vars) for row in result)
    print(json.dumps(answer), flush=True)

"""Asks an endpoint for triples by rdflib: python triples.py URL GRAPH.nt < patterns.

Each line in is a subject and an object, one of which is empty. Their triples, and the description of the
subject, must be those of Oxigraph over the graph. Prints how many there are.
"""
import json
import sys

import pyoxigraph
from rdflib import Graph, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore

graph = Graph(SPARQLStore(sys.argv[1]))
store = pyoxigraph.Store()
store.bulk_load(path=sys.argv[2], format=pyoxigraph.RdfFormat.N_TRIPLES)
counts = {"patterns": 0, "triples": 0, "described": 0}
for line in sys.stdin:
    subject, object = json.loads(line)
    got = sorted((str(s), str(p), str(o)) for s, p, o in graph.triples((subject and URIRef(subject) or None, None, object and URIRef(object) or None)))
    node = lambda iri: pyoxigraph.NamedNode(iri) if iri else None
    want = sorted((q.subject.value, q.predicate.value, q.object.value) for q in store.quads_for_pattern(node(subject), None, node(object), None))
    assert got == want, (line, got, want)
    counts["patterns"] += 1
    counts["triples"] += len(got)
    if subject and not object:
        described = sorted((str(s), str(p), str(o)) for s, p, o in graph.query("DESCRIBE <%s>" % subject).graph)
        found = store.query("DESCRIBE <%s>" % subject)
        assert described == sorted((t.subject.value, t.predicate.value, t.object.value) for t in found), line
        counts["described"] += len(described)
print(json.dumps(counts))

"""Asks an endpoint as Python people do: python clients.py URL.

Prints what SPARQLWrapper, pandas over CSV, and a SERVICE clause of Oxigraph get.
"""
import io
import json
import sys
import urllib.parse
import urllib.request

import pandas
import pyoxigraph
from SPARQLWrapper import JSON, SPARQLWrapper

url = sys.argv[1]
query = "SELECT ?y { :Brazil :borders ?y . ?y :official_language :Spanish FILTER(?y_status = \"known\") } ORDER BY ?y_label"

wrapper = SPARQLWrapper(url)
wrapper.setReturnFormat(JSON)
answers = {}
for method in ["GET", "POST"]:
    wrapper.setMethod(method)
    wrapper.setQuery(query)
    rows = wrapper.query().convert()["results"]["bindings"]
    answers["SPARQLWrapper " + method] = [row["y_label"]["value"] for row in rows]

wrapper = SPARQLWrapper(url)  # which asks for XML unless told otherwise
wrapper.setQuery(query)
found = wrapper.query().convert().getElementsByTagName("binding")
answers["SPARQLWrapper XML"] = [b.firstChild.firstChild.data for b in found if b.getAttribute("name") == "y_label"]

request = urllib.request.Request(url + "?" + urllib.parse.urlencode({"query": query}), headers={"Accept": "text/csv"})
frame = pandas.read_csv(io.StringIO(urllib.request.urlopen(request).read().decode()))
answers["pandas"] = list(frame["y_label"])

store = pyoxigraph.Store()
for name, note in [("Bolivia", "Andes"), ("Uruguay", "Pampas"), ("Chile", "Andes")]:
    e = pyoxigraph.NamedNode("urn:efoc:" + name)
    store.add(pyoxigraph.Quad(e, pyoxigraph.NamedNode("urn:note"), pyoxigraph.Literal(note)))
found = store.query(
    """SELECT ?y ?note ?y_confidence { ?y <urn:note> ?note
    SERVICE <%s> { SELECT ?y ?y_confidence { <urn:efoc:Brazil> <urn:efoc:borders> ?y } } } ORDER BY ?y""" % url
)
answers["SERVICE"] = ["%s %s %s" % (r["y"].value, r["note"].value, r["y_confidence"].value) for r in found]
print(json.dumps(answers))

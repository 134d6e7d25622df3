"""Times message passing in PyTorch, as fast as PyTorch allows.

usage: torchgraph.py GRAPH RANK QUERIES.jsonl OUT.json [--shapes 1p,2p] [--batches 1,256]
       [--modes graph,compile,eager] [--runs N] [--seconds S]

It answers a batch at a time, sends only messages that the answer needs, makes each state once,
multiplies in bfloat16, finds the 10 best on the GPU, and replays all of it as one CUDA graph. The
lists of edges are made before the clock starts, which favours PyTorch. Embeddings are random: times do not
depend on them.
"""
import argparse
import json
import os
import statistics
import time
from collections import defaultdict

import numpy as np
import torch

# Atoms are a relation, a head and a tail, negated after !: constants s, variables e and the answer f.
# Disjuncts are separated by |.
SHAPES = {
    '1p': 'r1 s1 f', '2p': 'r1 s1 e1, r2 e1 f', '3p': 'r1 s1 e1, r2 e1 e2, r3 e2 f',
    '2i': 'r1 s1 f, r2 s2 f', '3i': 'r1 s1 f, r2 s2 f, r3 s3 f', 'pi': 'r1 s1 e1, r2 e1 f, r3 s2 f', 'ip': 'r1 s1 e1, r2 s2 e1, r3 e1 f',
    '2in': 'r1 s1 f, !r2 s2 f', '3in': 'r1 s1 f, r2 s2 f, !r3 s3 f', 'inp': 'r1 s1 e1, !r2 s2 e1, r3 e1 f',
    'pin': 'r1 s1 e1, r2 e1 f, !r3 s2 f', 'pni': 'r1 s1 e1, !r2 e1 f, r3 s2 f',
    '2u': 'r1 s1 f | r2 s2 f', 'up': 'r1 s1 e1, r3 e1 f | r2 s2 e1, r3 e1 f', '2il': 'r1 s1 f, r2 e1 f',
    '3il': 'r1 s1 f, r2 s2 f, r3 e1 f', '2m': 'r1 s1 e1, r2 e1 f, r3 e1 f', '2nm': 'r1 s1 e1, r2 e1 f, !r3 e1 f',
    '3mp': 'r1 s1 e1, r2 e1 e2, r3 e1 e2, r4 e2 f', '3pm': 'r1 s1 e1, r2 e1 e2, r3 e2 f, r4 e2 f', 'im': 'r1 s1 e1, r2 s2 e1, r3 e1 f, r4 e1 f',
    '3c': 'r1 s1 e1, r2 e1 f, r3 s2 e2, r4 e2 f, r5 e1 e2', '3cm': 'r1 s1 e1, r2 e1 f, r3 s2 e2, r4 e2 f, r5 e1 e2, r6 e1 f',
}
LAMBDA, ALPHA, EPSILON, WEIGHT = .3, 100., 1e-14, .5


def atoms_of(shape):
    """The atoms of each disjunct: relation, head, tail, and whether it is negated."""
    return [[(*atom.strip().lstrip('!').split(), atom.strip()[0] == '!') for atom in part.split(',')] for part in SHAPES[shape].split('|')]


def load_names(folder, file):
    """The numbers of names: lines are a number, a name, and more."""
    with open(os.path.join(folder, file)) as f:
        return {name: int(number) for number, name, *_ in (line.rstrip('\n').split('\t') for line in f)}


def load_rows(folder):
    """The edges of each directed relation: 2i is relation i, 2i+1 its inverse."""
    relations, entities = load_names(folder, 'relations.tsv'), load_names(folder, 'entities.tsv')
    rows = defaultdict(set)
    with open(os.path.join(folder, 'train.tsv')) as f:
        for line in f:
            head, relation, tail = line.rstrip('\n').split('\t')
            h, r, t = entities[head], relations[relation], entities[tail]
            rows[2 * r].add((h, t))
            rows[2 * r + 1].add((t, h))
    return rows


def normalize(p):
    p = torch.where(p >= EPSILON, p, 0.)
    return p / p.sum(-1, keepdim=True).clamp_min(EPSILON)


def unit(e):
    return e / e.norm(dim=1, keepdim=True).clamp_min(1e-12)


def rotate(e, r, conjugate):
    d = e.shape[1] // 2
    real, imaginary = r[:, :d], -r[:, d:] if conjugate else r[:, d:]
    return torch.cat([e[:, :d] * real - e[:, d:] * imaginary, e[:, :d] * imaginary + e[:, d:] * real], 1)


def dense(table, query, x):
    return normalize(2 * (1 - WEIGHT) * torch.softmax((query.to(table.dtype) @ table.t()).float(), -1) + 2 * WEIGHT * normalize(x))


def embed(table, state):
    return (state.to(table.dtype) @ table).float()


def product(*messages):
    p = messages[0]
    for m in messages[1:]:
        p = p * m
    return normalize(p)


def readout(table, state, e):
    return LAMBDA * state + (1 - LAMBDA) * torch.softmax((unit(e).to(table.dtype) @ table.t()).float(), -1)


PLAIN = {f.__name__: f for f in (dense, embed, product, readout)}


class Peer:
    """The model on the GPU."""

    def __init__(self, folder, rank):
        made = torch.Generator('cuda').manual_seed(1)
        rows = lambda count: torch.randn(count, 2 * rank, generator=made, device='cuda') / rank ** .25
        self.entities, self.relations = rows(len(load_names(folder, 'entities.tsv'))), rows(2 * len(load_names(folder, 'relations.tsv')))
        self.table, self.units = self.entities.bfloat16(), unit(self.entities).bfloat16()
        self.n, self.rows, self.edges = len(self.entities), load_rows(folder), {}

    def edges_of(self, relation):
        if relation not in self.edges:
            self.edges[relation] = np.array(sorted(self.rows[relation]), dtype=np.int64).reshape(-1, 2)
        return self.edges[relation]


class Batch:
    """The queries of one shape, and where the edges of each message lead, query by query."""

    def __init__(self, peer, shape, queries):
        self.peer, self.shape, self.queries, self.lists = peer, shape, queries, {}
        for atoms in atoms_of(shape):
            for atom in atoms:
                for to_tail in (True, False):
                    self.list_edges(atom, to_tail)

    def slot(self, name):
        return torch.tensor([q[name] for q in self.queries], device='cuda')

    def list_edges(self, atom, to_tail):
        relation, head, tail, _ = atom
        sources, targets = [], []
        source = head if to_tail else tail
        for b, q in enumerate(self.queries):
            e = self.peer.edges_of(q[relation])
            s, t = (e[:, 0], e[:, 1]) if to_tail else (e[:, 1], e[:, 0])
            if source[0] == 's':
                keep = s == q[source]
                s, t = s[keep], t[keep]
            sources.append(s + b * self.peer.n)
            targets.append(t + b * self.peer.n)
        tensor = lambda lists: torch.from_numpy(np.concatenate(lists)).cuda()
        self.lists[atom[:3], to_tail] = tensor(sources), tensor(targets), self.slot(relation)
        for term in (head, tail):
            if term[0] == 's':
                self.lists[term] = self.slot(term)

    def run(self, atoms, f):
        """The probabilities of one disjunct."""
        peer, made = self.peer, {}
        layers = len({t for atom in atoms for t in atom[1:3] if t[0] != 's'}) + 1

        def into(variable, layer):
            """What the variable knows after so many layers: its messages, each with what its sender knows."""
            if layer == 0:
                return None
            messages = []
            for i, (_, head, tail, _) in enumerate(atoms):
                for sender, receiver, to_tail in ((head, tail, True), (tail, head, False)):
                    if receiver == variable:
                        known = sender if sender[0] == 's' else into(sender, layer - 1)
                        if known is not None:
                            messages.append((i, to_tail, known))
            return tuple(messages) or None

        def once(key, make):
            if key not in made:
                made[key] = make()
            return made[key]

        def state(known):
            return once(known, lambda: f['product'](*[message(*m) for m in known]))

        def embedding(known):
            return once(('embedding', known), lambda: peer.entities[self.lists[known]] if isinstance(known, str) else f['embed'](peer.table, state(known)))

        def message(i, to_tail, known):
            return once(('message', i, to_tail, known), lambda: send(i, to_tail, known))

        def send(i, to_tail, known):
            atom = atoms[i]
            sources, targets, relation = self.lists[atom[:3], to_tail]
            x = torch.zeros(len(self.queries) * peer.n, device='cuda')
            if isinstance(known, str):
                x.index_fill_(0, targets, 1.)
            else:
                x.index_add_(0, targets, state(known).reshape(-1)[sources])
            x = x.view(len(self.queries), peer.n)
            query = rotate(embedding(known), peer.relations[relation], not to_tail)
            if atom[3]:
                x, query = ALPHA / peer.n - x, -query
            return f['dense'](peer.table, query, x)

        answer = into('f', layers)
        return f['readout'](peer.units, state(answer), embedding(answer))

    def answer(self, f):
        parts = [self.run(atoms, f) for atoms in atoms_of(self.shape)]
        p = parts[0]
        if len(parts) > 1:
            parts = [x / x.amax(1, keepdim=True) for x in parts]
            p = torch.stack(parts).amax(0)
            p = p / p.sum(1, keepdim=True)
        return torch.topk(p, 10)


def prepared(batch, mode, f):
    """What answers the batch and brings the best to the host."""
    if mode == 'eager':
        return lambda: [x.cpu() for x in batch.answer(f)]
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            batch.answer(f)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        best = batch.answer(f)

    def replay():
        graph.replay()
        return [x.cpu() for x in best]

    return replay


def clock(answer, runs):
    for _ in range(5):
        answer()
    torch.cuda.synchronize()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        answer()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument('graph')
    flags.add_argument('rank', type=int)
    flags.add_argument('queries')
    flags.add_argument('out')
    flags.add_argument('--shapes', default=','.join(SHAPES))
    flags.add_argument('--batches', default='1,256')
    flags.add_argument('--modes', default='graph,compile,eager')
    flags.add_argument('--runs', type=int, default=50)
    flags.add_argument('--seconds', type=float, default=1e9)
    o = flags.parse_args()
    begin = time.time()
    torch.set_grad_enabled(False)
    peer = Peer(o.graph, o.rank)
    queries = defaultdict(list)
    with open(o.queries) as lines:
        for line in lines:
            q = json.loads(line)
            queries[q['type']].append(q)
    out = {'torch': torch.__version__, 'device': torch.cuda.get_device_name(0), 'times': []}
    for mode in o.modes.split(','):
        f = PLAIN
        if mode == 'compile':
            torch._dynamo.config.cache_size_limit = 64
            f = {name: torch.compile(x, dynamic=False) for name, x in PLAIN.items()}
        for size in map(int, o.batches.split(',')):
            for shape in o.shapes.split(','):
                if time.time() - begin > o.seconds:
                    continue
                own = queries[shape]
                try:
                    seconds = clock(prepared(Batch(peer, shape, [own[i % len(own)] for i in range(size)]), mode, f), o.runs)
                except Exception as e:  # one that fails leaves the others
                    print(mode, size, shape, 'failed:', str(e).splitlines()[0][:200], flush=True)
                    continue
                out['times'].append({'mode': mode, 'shape': shape, 'batch': size, 'ms_per_query': 1e3 * seconds / size})
                print(f'{mode:8s} batch {size:4d} {shape:4s} {1e3 * seconds:9.3f} ms {1e3 * seconds / size:9.4f} ms/query', flush=True)
                with open(o.out, 'w') as file:
                    json.dump(out, file)
                torch.cuda.empty_cache()
    return not out['times']


if __name__ == '__main__':
    raise SystemExit(main())

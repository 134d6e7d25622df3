"""Makes PyTorch files without PyTorch: cqd.pt as CQD saves them, libkge.pt as
LibKGE does for a reciprocal model, pykeen.pkl as PyKEEN does.

Run as python3 make.py in this folder. Stand-ins for the classes that would be
pickled are put under the names of their modules; the files hold the tables of
the ring graph of ring_test.go (n = 12, shifts 1 and 5, rank 4). The rows of
libkge.pt and pykeen.pkl run backwards, from the last entity and relation on.
"""
import collections, io, math, pickle, struct, sys, types, zipfile


def module(name):
    parent = name.rpartition(".")[0]
    if parent:
        module(parent).__path__ = []
    return sys.modules.setdefault(name, types.ModuleType(name))


def define(name, obj):
    obj.__module__, obj.__qualname__, obj.__name__ = name.rpartition(".")[0], name.rpartition(".")[2], name.rpartition(".")[2]
    setattr(module(obj.__module__), obj.__name__, obj)
    return obj


def rebuild(*args):
    pass


rebuild = define("torch._utils._rebuild_tensor_v2", rebuild)
FloatStorage = define("torch.FloatStorage", type("FloatStorage", (), {}))
DoubleStorage = define("torch.DoubleStorage", type("DoubleStorage", (), {}))
Regularizer = define("src.regularizers.N3", type("N3", (), {"__init__": lambda self: self.__dict__.update(weight=0.05)}))
Adagrad = define("torch.optim.Adagrad", type("Adagrad", (), {"__init__": lambda self: self.__dict__.update(params=[1, 2], lr=0.1)}))


class Storage:
    def __init__(self, key, cls, values):
        self.key, self.cls, self.values = key, cls, values

    def raw(self):
        return struct.pack("<%d%s" % (len(self.values), {FloatStorage: "f", DoubleStorage: "d"}[self.cls]), *self.values)


class Tensor:
    def __init__(self, storage, offset, shape):
        self.storage, self.offset, self.shape = storage, offset, shape

    def __reduce_ex__(self, protocol):
        strides, step = [], 1
        for d in reversed(self.shape):
            strides.insert(0, step)
            step *= d
        return rebuild, (self.storage, self.offset, tuple(self.shape), tuple(strides), False, collections.OrderedDict())


class Pickler(pickle.Pickler):
    def persistent_id(self, obj):
        if isinstance(obj, Storage):
            return ("storage", obj.cls, obj.key, "cpu", len(obj.values))


def dumps(obj, protocol):
    out = io.BytesIO()
    Pickler(out, protocol).dump(obj)
    return out.getvalue()


n, shifts, d = 12, [1, 5], 4
row = lambda s, sign=1: [math.cos(2 * math.pi * k * s / n) for k in range(1, d + 1)] + [sign * math.sin(2 * math.pi * k * s / n) for k in range(1, d + 1)]
entities = [v for e in range(n) for v in row(e)]
relations = [v for s in shifts for sign in (1, -1) for v in row(s, sign)]


def checkpoint(e, r):
    state = collections.OrderedDict()
    state["embeddings.0.weight"], state["embeddings.1.weight"] = e, r
    return {
        "epoch": 100, "model_name": "ComplEx", "regularizer": Regularizer(), "optim_method": Adagrad(),
        "batch_size": 1000, "big": 1 << 70, "zero": 0, "loss": 0.25, "flags": (True, None, {1, 2}),
        "model_state_dict": state,
        "optimizer_state_dict": {"state": {0: {"step": 7, "sum": e}}, "param_groups": []},
    }


def archive(file, name, obj, *storages):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as z:
        def put(name, data):
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
        put(name + "/data.pkl", dumps(obj, 4))
        put(name + "/byteorder", b"little")
        for s in storages:
            put(name + "/data/" + s.key, s.raw())
        put(name + "/version", b"3\n")


# The entity table starts within its storage; the relations are doubles.
a = Storage("0", FloatStorage, [0.0] * 3 + entities)
b = Storage("1", DoubleStorage, relations)
archive("cqd.pt", "cqd", checkpoint(Tensor(a, 3, (n, 2 * d)), Tensor(b, 0, (2 * len(shifts), 2 * d))), a, b)

# LibKGE: the reciprocal model and its base model share their embedders, the
# inverse of relation i is row i + 2.
a = Storage("0", FloatStorage, [v for e in reversed(range(n)) for v in row(e)])
b = Storage("1", FloatStorage, [v for sign in (1, -1) for s in reversed(shifts) for v in row(s, sign)])
Config = define("kge.config.Config", type("Config", (), {"__init__": lambda self: self.__dict__.update(folder="x", options={"model": "reciprocal_relations_model"})}))
state = collections.OrderedDict()
for prefix in ("_base_model.", ""):
    state[prefix + "_entity_embedder._embeddings.weight"] = Tensor(a, 0, (n, 2 * d))
    state[prefix + "_relation_embedder._embeddings.weight"] = Tensor(b, 0, (2 * len(shifts), 2 * d))
archive("libkge.pt", "checkpoint_best", {
    "type": "train", "epoch": 20, "valid_trace": [{"epoch": 20, "mrr": 0.3}], "model": (state, {"x": None}),
    "optimizer_state_dict": {"state": {0: {"step": 7, "sum": Tensor(a, 0, (n, 2 * d))}}}, "config": Config(),
}, a, b)

# PyKEEN: the module itself, parts alternating, relation i and its inverse in
# rows 2i and 2i + 1.
pairs = lambda r: [v for k in range(d) for v in (r[k], r[d + k])]
a = Storage("0", FloatStorage, [v for e in reversed(range(n)) for v in pairs(row(e))])
b = Storage("1", FloatStorage, [v for s in reversed(shifts) for sign in (1, -1) for v in pairs(row(s, sign))])
parameter = define("torch._utils._rebuild_parameter", lambda *args: None)


class Parameter:
    def __init__(self, tensor):
        self.tensor = tensor

    def __reduce_ex__(self, protocol):
        return parameter, (self.tensor, True, collections.OrderedDict())


def part(name, parameters, **modules):
    last = name.rpartition(".")[2]
    cls = getattr(module(name.rpartition(".")[0]), last, None) or define(name, type(last, (), {}))
    obj = cls()
    obj.__dict__.update(training=False, _parameters=collections.OrderedDict(parameters), _buffers=collections.OrderedDict(), _modules=collections.OrderedDict(modules))
    return obj


def representations(weight):
    embedding = part("torch.nn.modules.sparse.Embedding", {"weight": Parameter(weight)})
    return part("torch.nn.modules.container.ModuleList", {}, **{"0": part("pykeen.nn.representation.Embedding", {}, _embeddings=embedding)})


model = part("pykeen.models.unimodal.complex.ComplEx", {},
             entity_representations=representations(Tensor(a, 0, (n, 2 * d))), relation_representations=representations(Tensor(b, 0, (2 * len(shifts), 2 * d))))
archive("pykeen.pkl", "trained_model", model, a, b)

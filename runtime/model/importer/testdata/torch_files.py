"""Writes checkpoints with a real PyTorch: python3 torch_files.py FOLDER.

The files hold the tables of the ring graph of ring_test.go (n = 12, shifts 1
and 5, rank 4), in forms that PyTorch itself produces: modules that are pickled
whole, the format before 1.6, transposed and shared tensors, other precisions.
"""
import sys

import numpy
import torch

folder = sys.argv[1]
n, shifts, d = 12, [1, 5], 4


def row(step, sign=1):
    angle = 2 * numpy.pi * numpy.arange(1, d + 1) * step / n
    return numpy.concatenate([numpy.cos(angle), sign * numpy.sin(angle)])


entities = torch.tensor(numpy.array([row(e) for e in range(n)]), dtype=torch.float32)
relations = torch.tensor(numpy.array([row(s, sign) for s in shifts for sign in (1, -1)]), dtype=torch.float32)


class CQD(torch.nn.Module):
    def __init__(self, *tables):
        super().__init__()
        self.embeddings = torch.nn.ModuleList([torch.nn.Embedding.from_pretrained(t, sparse=True) for t in tables])


class N3:
    weight = 0.05


model = CQD(entities, relations)
state = model.state_dict()
optimizer = torch.optim.Adagrad([torch.nn.Parameter(entities)], lr=0.1)
cqd = {"epoch": 100, "regularizer": N3(), "optim_method": optimizer, "model_state_dict": state, "loss": torch.tensor(0.5)}
lmpnn = {"_entity_embedding.weight": entities, "_relation_embedding.weight": relations}
both = torch.cat([entities, relations])

torch.save(cqd, folder + "/cqd.pt")
torch.save(cqd, folder + "/old-cqd.pt", _use_new_zipfile_serialization=False)
torch.save(state, folder + "/best_valid.model")
torch.save(model, folder + "/module.pkl")
torch.save({"model_parameter": lmpnn, "optimizer_parameter": optimizer.state_dict(), "learning_rate": 0.1, "warm_up_steps": 5}, folder + "/450000.ckpt")
torch.save({k: v.double() for k, v in lmpnn.items()}, folder + "/double.pt")
torch.save({k: v.half() for k, v in lmpnn.items()}, folder + "/half.pt", _use_new_zipfile_serialization=False)
torch.save({k: v.t().contiguous().t() for k, v in lmpnn.items()}, folder + "/transposed.pt")
torch.save({"_entity_embedding.weight": both[:n], "_relation_embedding.weight": both[n:]}, folder + "/shared.pt")
torch.save({"_entity_embedding.weight": both[:n], "_relation_embedding.weight": both[n:]}, folder + "/old-shared.pt", _use_new_zipfile_serialization=False)
torch.save({k: torch.nn.Parameter(v) for k, v in lmpnn.items()}, folder + "/parameters.pt")

"""Answers rows of parameters by efoc on a Spark cluster.

    spark-submit spark.py ROWS OUT PARTS COMMAND

ROWS is a file of JSON Lines, OUT the folder of the answers in the same order. Each of PARTS
parts is piped through COMMAND on one of the workers, and again where that fails.
"""
import os
import sys

from pyspark import SparkContext

rows, out, parts, command = sys.argv[1:]
context = SparkContext(appName="efoc")
path = {"PATH": os.environ["PATH"]}  # where workers find the command
context.textFile(rows, int(parts)).pipe(command, path, checkCode=True).saveAsTextFile(out)

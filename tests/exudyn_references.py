"""Bricard's linkage and the stiff governor of IFToMM's benchmark library, solved by Exudyn (`pip install exudyn`).

Exudyn holds bodies by constraints in redundant coordinates and steps by the generalized-alpha method, of second order;
three lengths of step, each half of the one before, and Richardson's extrapolation give ten digits and their error.

    python tests/exudyn_references.py       the numbers in tests/elements/test_loop_benchmarks.py, in a minute
"""

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    InertiaCuboid,
    InertiaMassPoint,
    MarkerKinematicTreeRigid,
    NodeGenericODE2,
    ObjectGround,
    ObjectKinematicTree,
    RotationMatrixY,
    RotationMatrixZ,
    SensorBody,
    SensorNode,
    SpringDamper,
)

OUT = exu.OutputVariableType


def solve(system, sensors, steps, redundant):
    """Sensors' values after every second of ten: rows of them side by side."""
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.solution.file.write, settings.solution.sensors.writePeriod = False, 1.0
    times = settings.timeIntegration
    times.numberOfSteps, times.endTime, times.verboseMode = steps, 10.0, 0
    times.newton.relativeTolerance, times.newton.absoluteTolerance = 1e-10, 1e-12
    times.generalizedAlpha.computeInitialAccelerations = True
    if redundant:
        times.generalizedAlpha.spectralRadius = 0.9
        settings.linearSolverType = exu.LinearSolverType.EigenDense
        settings.linearSolverSettings.ignoreSingularJacobian = True
        system.SolveDynamic(settings)
    else:
        system.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
    return np.hstack([system.GetSensorStoredData(sensor)[1:, 1:] for sensor in sensors])


def bricard(steps):
    """Place of the joint between the third rod and the fourth."""
    system = exu.SystemContainer().AddSystem()
    rod = InertiaCuboid(density=100, sideLengths=[1, 0.1, 0.1]).Translated([0.5, 0, 0])
    places = [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]]
    turns = [np.eye(3), RotationMatrixZ(-np.pi / 2), RotationMatrixY(-np.pi / 2), RotationMatrixZ(np.pi)]
    turns.append(RotationMatrixZ(np.pi / 2))
    ground = system.AddObject(ObjectGround())
    bodies = [ground]
    for i, turn in enumerate(turns):
        place = {"referencePosition": places[i], "referenceRotationMatrix": turn}
        bodies.append(system.CreateRigidBody(inertia=rod, gravity=[0, -9.81, 0], **place))
        axis = np.roll([0, 1, 0], i).tolist()
        system.CreateRevoluteJoint(bodyNumbers=bodies[-2:], position=places[i], axis=axis)
    ends = {"position": places[5], "constrainedAxes": [1, 1, 1, 0, 1, 1]}
    system.CreateGenericJoint(bodyNumbers=[bodies[-1], ground], **ends)
    point = {"bodyNumber": bodies[4], "localPosition": [0, 0, 0], "outputVariableType": OUT.Position}
    return solve(system, [system.AddSensor(SensorBody(storeInternal=True, **point))], steps, redundant=True)


def governor(steps):
    """Height of the slider, angle of the arms below the horizontal, rate of the shaft."""
    system = exu.SystemContainer().AddSystem()
    rod = InertiaCuboid(density=3000, sideLengths=[1, 0.01, 0.01]).Translated([0.5, 0, 0])
    rod = rod + InertiaMassPoint(mass=5).Translated([1, 0, 0])
    shaft, slider = (InertiaCuboid(density=3000, sideLengths=size) for size in ([0.01, 0.01, 1], [0.1, 0.1, 0.1]))
    start = {"initialCoordinates": [0.0] * 4, "initialCoordinates_t": [2 * np.pi, 0, 0, 0]}
    node = system.AddNode(NodeGenericODE2(referenceCoordinates=[0.0] * 4, numberOfODE2Coordinates=4, **start))
    parts, kind = (shaft, slider, rod, rod), exu.JointType
    turns = [np.eye(3), np.eye(3), RotationMatrixY(np.pi / 6), RotationMatrixY(np.pi * 5 / 6)]
    tree = ObjectKinematicTree(
        nodeNumber=node,
        jointTypes=[kind.RevoluteZ, kind.PrismaticZ, kind.RevoluteY, kind.RevoluteY],
        linkParents=[-1, 0, 0, 0],
        jointTransformations=exu.Matrix3DList(turns),
        jointOffsets=exu.Vector3DList([[0, 0, 0.5], [0, 0, 0], [0.05, 0, 0.5], [-0.05, 0, 0.5]]),
        linkMasses=[part.Mass() for part in parts],
        linkCOMs=exu.Vector3DList([part.COM() for part in parts]),
        linkInertiasCOM=exu.Matrix3DList([part.InertiaCOM() for part in parts]),
        gravity=[0, 0, -9.81],
    )
    body = system.AddObject(tree)
    for arm, x in ((2, 0.05), (3, -0.05)):
        ends = ((1, [x, 0, 0]), (arm, [0.5, 0, 0]))
        marks = [MarkerKinematicTreeRigid(objectNumber=body, linkNumber=i, localPosition=p) for i, p in ends]
        numbers = [system.AddMarker(mark) for mark in marks]
        system.AddObject(SpringDamper(markerNumbers=numbers, stiffness=8e5, damping=4e4, referenceLength=0.5))
    made = [
        SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=x)
        for x in (OUT.Coordinates, OUT.Coordinates_t)
    ]
    found = solve(system, [system.AddSensor(sensor) for sensor in made], steps, redundant=False)
    return found[:, [1, 2, 4]] + [0.5, np.pi / 6, 0.0]


def main():
    for problem, steps in ((bricard, 10_000), (governor, 20_000)):
        coarse, middle, fine = (problem(steps * double) for double in (1, 2, 4))
        better, best = middle + (middle - coarse) / 3, fine + (fine - middle) / 3
        print(f"{problem.__name__}: {problem.__doc__} After 1, 2, ..., 10 s, to {np.abs(best - better).max():.1e}")
        print("\n".join(str([round(float(x), 11) for x in row]) for row in best))


if __name__ == "__main__":
    main()

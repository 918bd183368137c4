"""Small dense matrices in flat memory, row by row: products, Cholesky's factors, eigenvectors by Jacobi's rotations."""

import math

from ....kernels.scalar.compiling import inner


@inner
def multiply(A, rows, cols, x, y):
    """Y = A x."""
    for i in range(rows):
        total = 0.0
        for j in range(cols):
            total += A[i * cols + j] * x[j]
        y[i] = total


@inner
def add_transposed(A, rows, cols, x, scale, y):
    """Y += scale A' x."""
    for i in range(rows):
        for j in range(cols):
            y[j] += scale * A[i * cols + j] * x[i]


@inner
def solve(A, n, b, cols):
    """The columns b (n, cols) become A⁻¹ b; A is symmetric and positive definite, and is overwritten."""
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                A[i * n + j] -= A[i * n + k] * A[j * n + k]
        root = math.sqrt(A[j * n + j])
        for i in range(j, n):
            A[i * n + j] /= root
    for c in range(cols):
        for i in range(n):
            total = b[i * cols + c]
            for k in range(i):
                total -= A[i * n + k] * b[k * cols + c]
            b[i * cols + c] = total / A[i * n + i]
        for i in range(n - 1, -1, -1):
            total = b[i * cols + c]
            for k in range(i + 1, n):
                total -= A[k * n + i] * b[k * cols + c]
            b[i * cols + c] = total / A[i * n + i]


@inner
def rotate(A, V, n, p, q):
    """One rotation of Jacobi: makes A[p, q] zero; the columns of V turn along. Golub & Van Loan (2013), 8.5."""
    apq = A[p * n + q]
    theta = 0.5 * (A[q * n + q] - A[p * n + p]) / apq
    tangent = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
    tangent = -tangent if theta < 0.0 else tangent
    c = 1.0 / math.sqrt(tangent * tangent + 1.0)
    s = tangent * c
    for k in range(n):
        x, y = A[k * n + p], A[k * n + q]
        A[k * n + p], A[k * n + q] = c * x - s * y, s * x + c * y
    for k in range(n):
        x, y = A[p * n + k], A[q * n + k]
        A[p * n + k], A[q * n + k] = c * x - s * y, s * x + c * y
        x, y = V[k * n + p], V[k * n + q]
        V[k * n + p], V[k * n + q] = c * x - s * y, s * x + c * y


@inner
def eigenvectors(A, V, n):
    """Of a symmetric matrix: its diagonal becomes the eigenvalues, the columns of V the eigenvectors."""
    for i in range(n):
        for j in range(n):
            V[i * n + j] = 1.0 if i == j else 0.0
    for _ in range(30):
        off, size = 0.0, 0.0
        for i in range(n):
            size += A[i * n + i] * A[i * n + i]
            for j in range(i):
                off += A[i * n + j] * A[i * n + j]
        if not off > 1e-32 * size:
            break
        for p in range(n):
            for q in range(p + 1, n):
                if A[p * n + q] != 0.0:
                    rotate(A, V, n, p, q)

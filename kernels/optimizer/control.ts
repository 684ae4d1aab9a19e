/**
 * The control word: eight numbers on the device that decide what an optimiser step does, so that no
 * step waits for the host. Starts as zeros. Written by `clipNorm` and `targetKl`, read by the optimisers.
 */
export const CONTROL = {
  /** Global norm of the last gradient. */
  norm: 0,
  /** What the gradient is multiplied by. */
  scale: 1,
  /** Steps taken, t; exact to 2^24. */
  step: 2,
  /** 1: the KL target was passed, and the rest of this update changes nothing. */
  stopped: 3,
  /** 1: a gradient was not finite, or its square was not, and nothing changes until the host clears it. */
  nonfinite: 4,
  /** 1 - beta1^t. */
  correction1: 5,
  /** 1 - beta2^t. */
  correction2: 6,
} as const;

export const CONTROL_SIZE = 8;

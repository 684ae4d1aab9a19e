/** Golden vectors of the layers. */
import { floats, type GoldenAdapter } from '../golden/adapter';
import { ACTIVATIONS, type ActivationName, activationBackward, activationForward } from './activation';

/** torch_activations.json: y = f(x), grad_x = dy f'(x). */
export const torchActivations: GoldenAdapter = async ({ inputs: given }, bench) => {
  const kind = given.activation === 'gelu_erf' ? 'gelu' : String(given.activation);
  if (!(kind in ACTIVATIONS)) return undefined;
  const x = floats(given.x);
  const count = x.length;
  const inputs = bench.buffer(x);
  const outputs = bench.zeros(count);
  const output_gradient = bench.buffer(floats(given.dy));
  const input_gradient = bench.zeros(count);
  bench.run(activationForward(kind as ActivationName), { inputs, outputs }, { count });
  bench.run(
    activationBackward(kind as ActivationName),
    { inputs, outputs, output_gradient, input_gradient },
    { count },
  );
  return { y: await bench.read(outputs), grad_x: await bench.read(input_gradient) };
};

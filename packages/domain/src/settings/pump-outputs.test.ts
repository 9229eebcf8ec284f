import { expect, it } from 'vitest';
import { isPumpOutput } from './pump-outputs.ts';

it('knows the outputs of pumps by their labels, and without labels those of a new leader', () => {
  const config = { PWM: { '1': 'waste ', '2': 'stirring', '3': '' } };
  const pumps = ['pwm1', 'pwm2', 'pwm3', 'pwm4', 'ledA'].filter((output) => isPumpOutput(config, output));
  expect(pumps).toEqual(['pwm1']);
  expect(['pwm1', 'pwm2', 'pwm3', 'pwm4', 'pwm5'].filter((output) => isPumpOutput({}, output))).toEqual([
    'pwm2',
    'pwm3',
    'pwm4',
  ]);
});

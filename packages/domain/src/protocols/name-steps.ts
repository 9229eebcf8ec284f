import { validateCalibrationName } from '../calibrations/calibration-names.ts';
import { type Advance, fieldOf, goTo, InvalidInput, stepOf } from './protocol.ts';
import type { StepInputs } from './step-inputs.ts';

/** The two steps that ask for a name, and whether an older file of that name goes. */
export interface NameSteps {
  readonly ask: string;
  readonly confirm: string;
  readonly next: string;
  readonly field: string;
  readonly usual: string;
  readonly isTaken: (name: string) => boolean;
}

export const askName = ({ ask, field, usual }: NameSteps) =>
  stepOf(ask, 'form', {
    title: 'Name',
    body: 'Under this name the result is kept on the unit.',
    fields: [fieldOf({ name: field, label: 'Name', field_type: 'string', default: usual })],
  });

export const confirmName = ({ confirm }: NameSteps, name: string) =>
  stepOf(confirm, 'form', {
    title: 'The name is taken',
    body: `There is a file called ${name} already. Shall it be replaced?`,
    fields: [fieldOf({ name: 'overwrite', label: 'Replace it', field_type: 'bool', default: false })],
  });

/** @throws InvalidInput for a name that cannot be one of a file */
export function takeName(steps: NameSteps, inputs: StepInputs): Advance {
  const name = inputs.text(steps.field);
  const verdict = validateCalibrationName(name);
  if (!verdict.ok) throw new InvalidInput(`${steps.field}: ${verdict.cause}`);
  return goTo(steps.isTaken(name) ? steps.confirm : steps.next, { [steps.field]: name });
}

export const takeConfirmation = ({ ask, next }: NameSteps, inputs: StepInputs): Advance =>
  goTo(inputs.boolean('overwrite') ? next : ask);

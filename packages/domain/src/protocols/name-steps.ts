import { validateCalibrationName } from '../calibrations/calibration-names.ts';
import { type Advance, fieldOf, goTo, InvalidInput, stepOf } from './protocol.ts';
import type { StepInputs } from './step-inputs.ts';

/** The two steps for a name, and for replacing an existing file of that name. */
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
    body: 'The unit stores the result under this name.',
    fields: [fieldOf({ name: field, label: 'Name', field_type: 'string', default: usual })],
  });

export const confirmName = ({ confirm }: NameSteps, name: string) =>
  stepOf(confirm, 'form', {
    title: 'The name is taken',
    body: `A file with the name ${name} already exists. Replace it?`,
    fields: [fieldOf({ name: 'overwrite', label: 'Replace it', field_type: 'bool', default: false })],
  });

/** @throws InvalidInput: the name is not valid as a file name */
export function takeName(steps: NameSteps, inputs: StepInputs): Advance {
  const name = inputs.text(steps.field);
  const validated = validateCalibrationName(name);
  if (!validated.ok) throw new InvalidInput(validated.cause, steps.field);
  return goTo(steps.isTaken(name) ? steps.confirm : steps.next, { [steps.field]: name });
}

export const takeConfirmation = ({ ask, next }: NameSteps, inputs: StepInputs): Advance =>
  goTo(inputs.boolean('overwrite') ? next : ask);

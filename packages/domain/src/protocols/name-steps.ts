import { validateCalibrationName } from '../calibrations/calibration-names.ts';
import { type Advance, fieldOf, goTo, InvalidInput, stepOf } from './protocol.ts';
import type { StepInputs } from './step-inputs.ts';

/** The two steps for a name, and for replacing an existing file of that name. */
export interface NameSteps {
  readonly askStep: string;
  readonly confirmStep: string;
  readonly next: string;
  readonly field: string;
  readonly defaultName: string;
  readonly isTaken: (name: string) => boolean;
}

export const askName = ({ askStep, field, defaultName }: NameSteps) =>
  stepOf(askStep, 'form', {
    title: 'Name',
    body: 'The unit stores the result under this name.',
    fields: [fieldOf({ name: field, label: 'Name', field_type: 'string', default: defaultName })],
  });

export const confirmName = ({ confirmStep }: NameSteps, name: string) =>
  stepOf(confirmStep, 'form', {
    title: 'The name is taken',
    body: `A file with the name ${name} already exists. Replace it?`,
    fields: [fieldOf({ name: 'overwrite', label: 'Replace it', field_type: 'bool', default: false })],
  });

/** @throws InvalidInput: the name is not valid as a file name */
export function takeName(steps: NameSteps, inputs: StepInputs): Advance {
  const name = inputs.text(steps.field);
  const validated = validateCalibrationName(name);
  if (!validated.ok) throw new InvalidInput(validated.cause, steps.field);
  return goTo(steps.isTaken(name) ? steps.confirmStep : steps.next, { [steps.field]: name });
}

export const takeConfirmation = ({ askStep, next }: NameSteps, inputs: StepInputs): Advance =>
  goTo(inputs.boolean('overwrite') ? next : askStep);

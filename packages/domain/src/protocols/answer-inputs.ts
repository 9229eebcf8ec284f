import { isObject, type Json, jsonLimitFault, type SessionStep } from '@lcs/contract';
import { InvalidInput } from './step-inputs.ts';

/** Continues with the defaults of the step. */
const nextInput = 'next';
/** Stops the action of the step, not the session. */
const stopInput = 'stop';

type Inputs = Readonly<Record<string, Json>>;

function objectIn(text: string): Inputs | undefined {
  if (!text.startsWith('{')) return undefined;
  const fault = jsonLimitFault(text);
  if (fault !== undefined) throw new InvalidInput(`The answer cannot be read: ${fault}.`);
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidInput('The answer must be valid JSON.');
    throw error;
  }
}

/** The inputs of the further buttons of a step. */
const actionsOf = ({ metadata: { actions = [] } }: Pick<SessionStep, 'metadata'>): readonly Inputs[] =>
  actions.map(({ inputs }) => inputs);

/**
 * Converts an answer in one value to the inputs of a step. The answer is an object of all its fields (or its JSON), the text `next`,
 * the text `stop`, the action of one of its further buttons, or the value of its only field.
 * @throws InvalidInput
 */
export function answerInputs(step: Pick<SessionStep, 'fields' | 'metadata'>, answer: Json): Inputs {
  if (isObject(answer)) return answer;
  const text = typeof answer === 'string' ? answer.trim() : undefined;
  const object = text === undefined ? undefined : objectIn(text);
  if (object !== undefined) return object;
  if (text === nextInput) return {};
  if (text === stopInput) return { action: stopInput };
  const button = actionsOf(step).find(({ action }) => text !== undefined && action === text);
  if (button !== undefined) return button;
  const [field, ...others] = step.fields;
  if (field === undefined) throw new InvalidInput('This step has no fields. Answer "next" when it is done.');
  if (others.length > 0) {
    const names = step.fields.map(({ name }) => name);
    const example = JSON.stringify(
      Object.fromEntries(step.fields.map(({ name, default: defaultValue }) => [name, defaultValue])),
    );
    throw new InvalidInput(
      `This step has the fields ${names.join(' and ')}. Answer with all of them, such as ${example}.`,
    );
  }
  return { [field.name]: answer };
}

/** The inputs of a form whose fields are all known in advance; undefined: another step. */
export function knownInputs({ step_type, fields }: Pick<SessionStep, 'step_type' | 'fields'>, known: Inputs) {
  if (step_type !== 'form' || fields.length === 0) return undefined;
  if (!fields.every(({ name }) => Object.hasOwn(known, name))) return undefined;
  return Object.fromEntries(fields.map(({ name }) => [name, known[name] ?? null]));
}

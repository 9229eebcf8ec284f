import { type Json, jsonLimitFault, type SessionStep } from '@lcs/contract';
import { InvalidInput } from './step-inputs.ts';

/** Goes on with what the step suggests. */
const nextWord = 'next';
/** Ends the work of the step, and not the session. */
const stopWord = 'stop';

type Inputs = Readonly<Record<string, Json>>;

const isObject = (value: Json | undefined): value is Inputs =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectIn(text: string): Inputs | undefined {
  if (!text.startsWith('{')) return undefined;
  const fault = jsonLimitFault(text);
  if (fault !== undefined) throw new InvalidInput(`The answer cannot be read: ${fault}.`);
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidInput('The answer begins as JSON and is none.');
    throw error;
  }
}

/** What the further buttons of a step send. */
const actionsOf = ({ metadata: { actions = [] } }: Pick<SessionStep, 'metadata'>): readonly Inputs[] =>
  actions.map(({ inputs }) => inputs);

/**
 * The inputs of a step that an answer in one value stands for: an object of all its fields (or the JSON of one), the word `next`,
 * the word `stop`, the word of one of its further buttons, or the value of its only field.
 * @throws InvalidInput
 */
export function answerInputs(step: Pick<SessionStep, 'fields' | 'metadata'>, answer: Json): Inputs {
  if (isObject(answer)) return answer;
  const word = typeof answer === 'string' ? answer.trim() : undefined;
  const object = word === undefined ? undefined : objectIn(word);
  if (object !== undefined) return object;
  if (word === nextWord) return {};
  if (word === stopWord) return { action: stopWord };
  const button = actionsOf(step).find(({ action }) => word !== undefined && action === word);
  if (button !== undefined) return button;
  const [field, ...others] = step.fields;
  if (field === undefined) throw new InvalidInput('This step asks for nothing: answer next when it is done.');
  if (others.length > 0) {
    const names = step.fields.map(({ name }) => name);
    const example = JSON.stringify(Object.fromEntries(step.fields.map(({ name, default: usual }) => [name, usual])));
    throw new InvalidInput(`This step asks for ${names.join(' and ')}: answer with all of them, as in ${example}.`);
  }
  return { [field.name]: answer };
}

/** The inputs of a form of which all is known beforehand; undefined for other steps. */
export function knownInputs({ step_type, fields }: Pick<SessionStep, 'step_type' | 'fields'>, known: Inputs) {
  if (step_type !== 'form' || fields.length === 0) return undefined;
  if (!fields.every(({ name }) => Object.hasOwn(known, name))) return undefined;
  return Object.fromEntries(fields.map(({ name }) => [name, known[name] ?? null]));
}

import { type InputWords, libraryInputs, type ProfileParameters } from '@lcs/domain';
import { plainWords } from '../api/plain-words.ts';
import { labelFromName } from '../forms/field-rules.ts';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';

/** What the end of a name says about its unit. */
const unitSuffixes: readonly (readonly [suffix: string, unit: string])[] = [
  ['_c', '°C'],
  ['_ml', 'mL'],
  ['_rpm', 'RPM'],
  ['_percent', '%'],
  ['_h', 'h'],
  ['_hours', 'h'],
  ['_min', 'min'],
  ['_minutes', 'min'],
  ['_s', 's'],
];

function wordsFromName(name: string): InputWords {
  const [suffix, unit] = unitSuffixes.find(([end]) => name.endsWith(end)) ?? ['', null];
  return { label: labelFromName(name.slice(0, name.length - suffix.length)), unit };
}

/** The words of a library profile, for it and its copies: those that have the same inputs. */
const libraryWords = (names: readonly string[]): Readonly<Record<string, InputWords>> =>
  Object.values(libraryInputs).find(
    (words) => Object.keys(words).length === names.length && names.every((name) => words[name] !== undefined),
  ) ?? {};

/** A parameter of a profile with its field. */
export interface ParameterField {
  readonly field: FieldDescriptor;
  readonly value: number | string | boolean;
  readonly places: ProfileParameters['inputs'][number]['places'];
  /** Has no value below this one. */
  readonly min: number | null;
}

/** The fields of the inputs. */
export function inputFields({ inputs }: Pick<ProfileParameters, 'inputs'>): readonly ParameterField[] {
  const known = libraryWords(inputs.map(({ name }) => name));
  return inputs.map(({ name, value, places }) => {
    const { label, unit, hint } = known[name] ?? wordsFromName(name);
    const shared = { name: `input ${name}`, label, hint };
    const field: FieldDescriptor =
      typeof value === 'boolean'
        ? { ...shared, kind: 'switch' }
        : typeof value === 'string'
          ? { ...shared, kind: 'text' }
          : { ...shared, kind: 'number', unit };
    return { field, value, places, min: null };
  });
}

const verbs: Readonly<Record<string, string>> = protocolsWords.verbs;

type TimeActions = ProfileParameters['times'][number]['actions'];

/** `Stop stirring, OD reading; change dosing`; notes in the event log only where nothing else is due. */
function timeLabel(actions: TimeActions): string {
  const jobs = new Map<string, Set<string>>();
  for (const { type, job } of actions)
    if (type in verbs) jobs.set(type, (jobs.get(type) ?? new Set()).add(plainWords(job)));
  if (jobs.size === 0) return protocolsWords.entryInEventLog;
  const text = [...jobs]
    .map(([type, names]) => `${(verbs[type] ?? type).toLowerCase()} ${[...names].join(', ')}`)
    .join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The fields of the times, in hours since the start. */
export const timeFields = ({ times }: Pick<ProfileParameters, 'times'>): readonly ParameterField[] =>
  times.map(({ hours, actions, places }, at) => ({
    field: { name: `time ${at}`, label: protocolsWords.timeAfter(timeLabel(actions)), kind: 'number', unit: 'h' },
    value: hours,
    places,
    min: 0,
  }));

/** The fields of the units that the profile names: each is one of the known units. */
export const unitFields = (
  { units }: Pick<ProfileParameters, 'units'>,
  known: readonly string[],
): readonly ParameterField[] =>
  units.map(({ unit, label, places }, at) => ({
    field: {
      name: `unit ${at}`,
      label: label === null ? commonWords.unitNamed(at + 1) : protocolsWords.unitOf(label),

      kind: 'choice',
      isNative: true,
      options: [...new Set([unit, ...known])].map((name) => ({
        value: name,
        label: known.includes(name) ? name : protocolsWords.notInThisCluster(name),
      })),
    },
    value: unit,
    places,
    min: null,
  }));

/** Names of units that two fields have. */
export const chosenTwice = ({ units }: Pick<ProfileParameters, 'units'>): ReadonlySet<string> => {
  const names = units.map(({ unit }) => unit);
  return new Set(names.filter((name, at) => names.indexOf(name) !== at));
};

/** Whether a text declares inputs: then its form is more useful than its text. */
export const declaresInputs = (text: string): boolean =>
  /^inputs:[ \t]*(?:\{[ \t]*[^\s}]|(?:#.*)?\r?\n[ \t]+[^\s#])/m.test(text);

/** A note of a profile with its inputs in the words of the form. */
export function noteWords(note: string, { inputs }: Pick<ProfileParameters, 'inputs'>): string {
  const named = inputFields({ inputs });
  const worded = inputs.reduce(
    (text, { name }, at) =>
      text.replace(new RegExp(`\\b${name}\\b`, 'g'), (word) =>
        word.includes('_') ? `“${named[at]?.field.label}”` : word,
      ),
    note,
  );
  const text = plainWords(worded);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

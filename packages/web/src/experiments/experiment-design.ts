import { commonWords } from '../words/common.ts';

/**
 * The design of an experiment. Organism and medium are tags: the API has no other place for them, and lists what was used
 * before from the same tags (`GET /api/historical_organisms`, `/api/historical_media`).
 */
export interface ExperimentDesign {
  readonly organism: string;
  readonly medium: string;
  /** The tags that say neither. */
  readonly tags: readonly string[];
}

const organismForm = /^organism:\s*(.*)$/is;
const mediumForm = /^media:\s*(.*)$/is;

/** The first of several counts; further ones remain tags. */
function taken(tags: readonly string[], form: RegExp): { readonly value: string; readonly rest: readonly string[] } {
  const at = tags.findIndex((tag) => form.test(tag));
  const value = form.exec(tags[at] ?? '')?.[1]?.trim() ?? '';
  return { value, rest: at < 0 ? tags : tags.toSpliced(at, 1) };
}

/** Reads the design from the tags. */
export function designOf(all: readonly string[]): ExperimentDesign {
  const { value: organism, rest } = taken(all, organismForm);
  const { value: medium, rest: tags } = taken(rest, mediumForm);
  return { organism, medium, tags };
}

/** The tags of a design. */
export const tagsOfDesign = ({ organism, medium, tags }: ExperimentDesign): string[] => [
  ...(organism.trim() === '' ? [] : [`organism: ${organism.trim()}`]),
  ...(medium.trim() === '' ? [] : [`media: ${medium.trim()}`]),
  ...tags,
];

/** The present design with the changes that a person made to the one that a form began with; what others changed meanwhile stays. */
export function mergedDesign(
  first: ExperimentDesign,
  changed: ExperimentDesign,
  present: ExperimentDesign,
): ExperimentDesign {
  const removed = first.tags.filter((tag) => !changed.tags.includes(tag));
  const added = changed.tags.filter((tag) => !first.tags.includes(tag) && !present.tags.includes(tag));
  return {
    organism: changed.organism === first.organism ? present.organism : changed.organism,
    medium: changed.medium === first.medium ? present.medium : changed.medium,
    tags: [...present.tags.filter((tag) => !removed.includes(tag)), ...added],
  };
}

/** `E. coli MG1655 in M9`; empty without a design. */
export function designText({ organism, medium }: Pick<ExperimentDesign, 'organism' | 'medium'>): string {
  if (organism === '') return medium;
  return medium === '' ? organism : commonWords.textInPlace(organism, medium);
}

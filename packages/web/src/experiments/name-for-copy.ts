import { validateExperimentName } from '@lcs/domain';

/**
 * A free name for a copy: the number at the end increased (`growth-41` gives `growth-42`), or a number added
 * (`growth` gives `growth 2`). Empty if that name is invalid.
 */
export function nameForCopy(name: string, taken: ReadonlySet<string>): string {
  const [, stem = name, digits] = /^(.*?)(\d{1,9})$/s.exec(name) ?? [];
  const pad = digits?.length ?? 0;
  const prefix = digits === undefined ? `${name} ` : stem;
  for (let number = digits === undefined ? 2 : Number(digits) + 1; ; number += 1) {
    const candidate = prefix + String(number).padStart(pad, '0');
    if (taken.has(candidate)) continue;
    return validateExperimentName(candidate).ok ? candidate : '';
  }
}

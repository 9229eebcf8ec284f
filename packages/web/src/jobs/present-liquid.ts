import { digitsText } from '../ui/number-text.ts';
import { jobsWords } from '../words/jobs.ts';
import type { UnitSignals } from './biomass-choices.ts';
import type { StartField, StartForm } from './job-forms.ts';

type Culture = NonNullable<NonNullable<UnitSignals['signals']>['culture']>;

/** Options that stay as they are in the vial where they are left empty. */
const presentOf: Readonly<Record<string, (culture: Culture) => number | null | undefined>> = {
  current_volume_ml: ({ volume_ml }) => volume_ml,
  efflux_tube_volume_ml: ({ waste_tube_level_ml }) => waste_tube_level_ml,
  alt_media_fraction: ({ alt_media_fraction }) => alt_media_fraction,
};

function withPresent(field: StartField, reported: readonly UnitSignals[]): StartField {
  const read = presentOf[field.name];
  if (read === undefined) return field;
  const known = reported.flatMap(({ unit, signals }) => {
    const value = signals?.culture === undefined ? null : (read(signals.culture) ?? null);
    return value === null ? [] : [{ unit, text: digitsText(value, 3), value }];
  });
  const groups = [...Map.groupBy(known, ({ text }) => text)];
  const [first] = known;
  if (first === undefined) return field;
  if (groups.length === 1 && known.length === reported.length) return { ...field, configured: first.value };
  const withUnit = (text: string): string => [text, field.unit].filter((part) => part !== null).join(' ');
  const texts = groups.map(([text, same]) =>
    jobsWords.valueOfUnits(withUnit(text), same.map(({ unit }) => unit).join(', ')),
  );
  return { ...field, configured: texts.join(', ') };
}

/** The form with what the vials contain now, where an empty field leaves that as it is. */
export const withPresentLiquid = (form: StartForm, reported: readonly UnitSignals[]): StartForm => ({
  ...form,
  fields: form.fields.map((field) => withPresent(field, reported)),
  variants: form.variants.map((variant) => ({
    ...variant,
    fields: variant.fields.map((field) => withPresent(field, reported)),
  })),
});

import { type Static, Type } from 'typebox';
import { closed, textLimit } from './common.ts';

const volume = (description: string) => Type.Number({ minimum: 0, description });

/** State of the vial of a unit in an experiment. Volumes in mL. */
export const BioreactorValues = closed(
  {
    current_volume_ml: volume('Liquid in the vial'),
    efflux_tube_volume_ml: volume('Volume at the end of the waste tube'),
    alt_media_fraction: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the alternative medium' }),
    cumulative_media_added_ml: volume('Medium added so far'),
    cumulative_alt_media_added_ml: volume('Alternative medium added so far'),
    cumulative_waste_removed_ml: volume('Liquid removed so far'),
  },
  { title: 'BioreactorValues' },
);
export type BioreactorValues = Static<typeof BioreactorValues>;

/** What a unit answers about its vial. */
export const BioreactorReport = closed({ values: BioreactorValues }, { title: 'BioreactorReport' });

/** New values by name; all of them are applied, or none. Numbers may be written as text. */
export const BioreactorChange = closed(
  {
    values: Type.Record(
      Type.String(),
      Type.Union([Type.Number(), Type.String({ maxLength: textLimit }), Type.Boolean()]),
      {
        minProperties: 1,
      },
    ),
  },
  { title: 'BioreactorChange' },
);
export type BioreactorChange = Static<typeof BioreactorChange>;

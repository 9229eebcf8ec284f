import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** A measured density that an automation can hold. */
export const BiomassSignalName = Type.Union([
  Type.Literal('od'),
  Type.Literal('normalized_od'),
  Type.Literal('od_fused'),
]);
export type BiomassSignalName = Static<typeof BiomassSignalName>;

/** The scale of a signal. Two units may measure one signal on different scales. */
export const BiomassScale = Type.Union(
  [Type.Literal('od'), Type.Literal('od_calibrated'), Type.Literal('normalized_od'), Type.Literal('od_fused')],
  {
    title: 'BiomassScale',
    description:
      '`od`: sensor reading without a calibration; `od_calibrated`: by the active OD calibration; `normalized_od`: relative to the start of the growth rate; `od_fused`: by the active estimator',
  },
);
export type BiomassScale = Static<typeof BiomassScale>;

/** One signal that a unit can measure, and its newest value. */
const BiomassSignal = closed({
  signal: BiomassSignalName,
  scale: BiomassScale,
  value: Nullable(Type.Number({ description: 'The newest value; null: none that is valid for automations' })),
  measured_at: Nullable(Timestamp),
});

/** The signals that can stand for the biomass of a unit. */
export const BiomassSignals = closed(
  {
    configured: Type.String({
      description: 'The signal of a start that names none; a signal, or a setting of another job as `<job>/<setting>`',
    }),
    automatic: Type.String({ description: 'The signal that `auto` means now' }),
    signals: Type.Array(BiomassSignal),
    culture: Type.Optional(
      closed(
        {
          growth_rate: Nullable(
            Type.Number({ description: 'Per hour; null: no valid reading, or not known well enough yet' }),
          ),
          volume_ml: Nullable(Type.Number({ description: 'Of the liquid in the vial; null: no experiment' })),
          waste_tube_level_ml: Type.Optional(
            Type.Number({ description: 'Volume that the waste pump leaves; absent: no experiment' }),
          ),
          alt_media_fraction: Type.Optional(
            Type.Number({
              description: 'Share of the liquid that is alternative medium, 0 to 1; absent: no experiment',
            }),
          ),
          media_bottle_left_ml: Nullable(
            Type.Number({ description: 'null: the size of the bottle is not configured' }),
          ),
          fill_limit_ml: Type.Optional(
            Type.Number({
              description: 'An inflow must keep the volume below this limit; absent: the model is unknown',
            }),
          ),
          reading_every_s: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              description:
                'Seconds between two readings of the optical density, running or configured: an automation that holds a density exchanges at most once per reading; absent in answers of older versions',
            }),
          ),
          evaporation_ml_per_hour: Type.Optional(
            Type.Number({
              minimum: 0,
              description: 'What a chemostat replaces beside its exchanges; absent in answers of older versions',
            }),
          ),
          exchange: Type.Optional(
            closed(
              {
                media_ml_per_s: Type.Number({ exclusiveMinimum: 0 }),
                waste_ml_per_s: Type.Number({ exclusiveMinimum: 0 }),
                pause_s: Type.Number({ description: 'After each part of an exchange, for mixing' }),
                waste_multiplier: Type.Number({ description: 'So many times the volume is removed again' }),
                max_subdose_ml: Type.Number({ description: 'Larger exchanges are made in equal parts' }),
              },
              {
                description:
                  'How fast its pumps exchange liquid; absent: one of the pumps for medium and waste has no active calibration',
              },
            ),
          ),
        },
        { description: 'What determines how much medium an automation will use; absent in answers of older versions' },
      ),
    ),
  },
  { title: 'BiomassSignals' },
);
export type BiomassSignals = Static<typeof BiomassSignals>;

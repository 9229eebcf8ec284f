import type { BiomassSignals } from '@lcs/contract';
import { biomassSignalNames, bioreactorSettings, settingOrDefault, turbidostat } from '@lcs/domain';
import { type NodeNow, SettingRefused } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import type { UnitPumps } from '../pumps/pumping.ts';
import { type BiomassDevices, type BiomassSignal, biomassSignal, requestedSignal } from './biomass-signal.ts';
import { exchangeConfig } from './exchange.ts';
import { readingNow } from './fresh-readings.ts';
import { growthNow, readingOrNone } from './predict-dilution.ts';
import { readingEveryS } from './reading-interval.ts';

/** Undefined: this unit cannot measure it. */
function signalOrNone(name: string, facts: Parameters<typeof biomassSignal>[1]): BiomassSignal | undefined {
  try {
    return biomassSignal(name, facts);
  } catch (error) {
    if (error instanceof SettingRefused) return undefined;
    throw error;
  }
}

/** Liquid in the vial and in its bottle of medium, mL; undefined: not known. */
export interface LiquidNow {
  readonly volumeMl: number | undefined;
  readonly mediaLeftMl: number | undefined;
  /** What the waste pump leaves. */
  readonly wasteTubeMl?: number;
  readonly altMediaFraction?: number;
  /** An inflow must keep the volume below this limit. */
  readonly fillLimitMl?: number | undefined;
}

/** How fast calibrated pumps exchange liquid, by the configuration of this unit. */
function exchangeNow(
  config: NodeNow['config'],
  { calibratedFlow }: Pick<UnitPumps, 'calibratedFlow'>,
): Pick<NonNullable<BiomassSignals['culture']>, 'exchange'> {
  const [media, waste] = [calibratedFlow(config, 'media'), calibratedFlow(config, 'waste')];
  if (media === undefined || waste === undefined || media <= 0 || waste <= 0) return {};
  const { pauseS, wasteMultiplier, maxSubdoseMl } = exchangeConfig(config, (view, setting) =>
    settingOrDefault(view, setting),
  );
  return {
    exchange: {
      media_ml_per_s: media,
      waste_ml_per_s: waste,
      pause_s: pauseS,
      waste_multiplier: wasteMultiplier,
      max_subdose_ml: maxSubdoseMl,
    },
  };
}

/** The signals that can stand for the biomass of this unit, with their newest values. */
export function biomassSignals(
  node: NodeNow,
  { pumps, ...devices }: BiomassDevices & { readonly pumps: Pick<UnitPumps, 'calibratedFlow'> },
  { volumeMl, mediaLeftMl, wasteTubeMl, altMediaFraction, fillLimitMl }: LiquidNow,
): BiomassSignals {
  const { config } = node;
  const facts = { config, ...devices };
  const requested = requestedSignal(turbidostat, { config, options: {} });
  const signals = biomassSignalNames.flatMap((name) => {
    if (name === 'od_fused' && devices.fusionOf() === undefined) return [];
    const signal = signalOrNone(name, facts);
    if (signal?.scale === undefined) return [];
    const reading = readingOrNone(() => readingNow(node, signal.place));
    return [
      {
        signal: name,
        scale: signal.scale,
        value: reading?.value ?? null,
        measured_at: reading === undefined ? null : toTimestamp(reading.atMs),
      },
    ];
  });
  return {
    configured: signalOrNone(requested, facts)?.name ?? requested,
    automatic: biomassSignal('auto', facts).name,
    signals,
    culture: {
      growth_rate: growthNow(node)?.perHour ?? null,
      volume_ml: volumeMl ?? null,
      ...(wasteTubeMl !== undefined && { waste_tube_level_ml: wasteTubeMl }),
      ...(altMediaFraction !== undefined && { alt_media_fraction: altMediaFraction }),
      media_bottle_left_ml: mediaLeftMl ?? null,
      ...(fillLimitMl !== undefined && { fill_limit_ml: fillLimitMl }),
      reading_every_s: readingEveryS(node),
      evaporation_ml_per_hour: settingOrDefault(config, bioreactorSettings.evaporation),
      ...exchangeNow(config, pumps),
    },
  };
}

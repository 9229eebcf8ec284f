import { ledChannels } from '@lcs/domain';
import type { CSSProperties } from 'react';
import { digitsText, fixedText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { unitWords } from '../words/unit.ts';
import { unitsWords } from '../words/units.ts';
import styles from './vial-drawing.module.css';
import { turbidity, type VialState, vialText } from './vial-state.ts';

interface VialDrawingProps {
  readonly name: string;
  readonly state: VialState;
  /** The time of day that the state is of; `null`: now. */
  readonly lastKnown: string | null;
}

/** The inside of the vial in the drawing. */
const inside = { left: 90, right: 210, top: 70, bottom: 260 };
const heightPx = inside.bottom - inside.top;
/** Where the capacity is not known, a volume fills this part of the vial. */
const unknownCapacityMl = 40;

/** The lines beside the vial: their distance, and where the last one may be, above that of the heater. */
const labelStepY = 20;
const lowestLabelY = 256;
/** The eye follows no faster turn than one in this time. */
const fastestTurnS = 0.35;

/** The liquid takes its colour from clear medium to a dense culture of yeast. */
const cultureColour = (od: number | null): string => {
  const percent = Math.round(100 * turbidity(od));
  return `color-mix(in oklab, #b98a1c ${percent}%, #f3ead0)`;
};

const short = (value: number): string => digitsText(value, 3);

/** Where the surface of a volume is. */
const levelY = (volumeMl: number, fullMl: number): number =>
  inside.bottom - heightPx * Math.min(1, Math.max(0, volumeMl / (1.1 * fullMl)));

function Tubes({ pumps, wasteY }: { readonly pumps: VialState['pumps']; readonly wasteY: number }) {
  const isOn = (pump: 'media' | 'alt_media' | 'waste') => (pumps.has(pump) ? { 'data-on': true } : {});
  return (
    <>
      <path className={styles.tube} {...isOn('media')} d="M20 40 H112 V92" />
      <path className={styles.tube} {...isOn('alt_media')} d="M20 62 H100 V92" />
      <path className={styles.tube} {...isOn('waste')} d={`M192 ${wasteY} V40 H300`} />
      <text className={styles.small} x="14" y="32">
        {unitWords.mediumInlet(pumps.has('media') && '↓')}
      </text>
      <text className={styles.small} x="14" y="78">
        {unitWords.alternativeInlet(pumps.has('alt_media') && '↓')}
      </text>
      <text className={styles.small} x="306" y="32" textAnchor="end">
        {unitWords.wasteOutlet(pumps.has('waste') && '↑')}
      </text>
    </>
  );
}

function Liquid({ y }: { readonly y: number }) {
  return (
    <>
      <clipPath id="vial-inside">
        <path d="M90 70 V240 A20 20 0 0 0 110 260 H190 A20 20 0 0 0 210 240 V70 Z" />
      </clipPath>
      <rect
        className={styles.liquid}
        clipPath="url(#vial-inside)"
        x={inside.left}
        y={y}
        width={inside.right - inside.left}
        height={Math.max(0, inside.bottom - y)}
      />
    </>
  );
}

/** Volume, density and temperature beside the liquid. */
function Labels({
  state: { volumeMl, od, temperatureC, notes },
  isPast,
  y,
}: {
  readonly state: VialState;
  /** The unit or the leader is away: no value is that of now. */
  readonly isPast: boolean;
  readonly y: number;
}) {
  const lines = [
    volumeMl === null ? null : { text: `${short(volumeMl)} mL`, note: '' },
    od === null ? null : { text: `OD ${short(od)}`, note: notes.od },
    temperatureC === null ? null : { text: `${fixedText(temperatureC, 1)} °C`, note: notes.temperature },
  ].filter((line) => line !== null);
  // A note has a line of its own: beside its value it would leave the picture.
  const rows = lines.flatMap(({ text, note }, index) => [
    { text, className: index === 0 ? styles.big : styles.text, isOld: note !== '' },
    ...(note === '' ? [] : [{ text: note.replace(unitsWords.jobStopped, ''), className: styles.small, isOld: true }]),
  ]);
  const top = Math.min(y, lowestLabelY - labelStepY * (rows.length - 1));
  return rows.map(({ text, className, isOld }, index) => (
    <text
      // biome-ignore lint/suspicious/noArrayIndexKey: two notes may be equal, and lines keep their order
      key={index}
      className={className}
      x="222"
      y={top + labelStepY * index}
      data-old={isPast || isOld}
    >
      {text}
    </text>
  ));
}

function Heater({ percent }: { readonly percent: number | null }) {
  const isOn = percent !== null && percent > 0;
  return (
    <>
      <path
        className={styles.heater}
        {...(isOn && { 'data-on': true })}
        d="M96 274 q9 -9 18 0 t18 0 t18 0 t18 0 t18 0 t18 0"
      />
      <text className={styles.small} x="222" y="279">
        {isOn ? unitWords.heatPercent(short(percent)) : unitWords.heaterOff}
      </text>
    </>
  );
}

function Leds({ leds }: { readonly leds: VialState['leds'] }) {
  return ledChannels.map((channel, index) => {
    const percent = leds.get(channel);
    const y = 118 + 34 * index;
    return (
      <g key={channel}>
        <circle className={styles.led} {...(percent !== undefined && { 'data-on': true })} cx="66" cy={y} r="8" />
        <text className={styles.small} x="52" y={y + 4} textAnchor="end">
          {channel} {percent !== undefined && `${short(percent)} %`}
        </text>
      </g>
    );
  });
}

/** The vial of a unit as it is now: content, stirrer, heater, light, and the pumps that run. */
export function VialDrawing({ name, state, lastKnown }: VialDrawingProps) {
  const { volumeMl, fullMl, wasteTubeMl, stirringRpm, heaterPercent, leds, pumps, od } = state;
  const capacityMl = fullMl ?? unknownCapacityMl;
  const surfaceY = volumeMl === null ? inside.bottom : levelY(volumeMl, capacityMl);
  const wasteY = levelY(wasteTubeMl ?? 0.6 * capacityMl, capacityMl);
  const isTurning = stirringRpm !== null && stirringRpm > 0;
  const turn = isTurning ? Math.max(fastestTurnS, 60 / stirringRpm) : 1;
  const text = vialText(name, state);
  return (
    <figure
      className={styles.figure}
      data-known={lastKnown === null}
      style={{ '--culture': cultureColour(od), '--turn': `${turn}s` } as CSSProperties}
    >
      <svg
        className={styles.drawing}
        viewBox="0 0 330 310"
        role="img"
        aria-label={lastKnown === null ? text : commonWords.textLastKnown(lastKnown, text)}
      >
        <Liquid y={surfaceY} />
        <path className={styles.glass} d="M84 70 H90 V240 A20 20 0 0 0 110 260 H190 A20 20 0 0 0 210 240 V70 H216" />
        <Tubes pumps={pumps} wasteY={wasteY} />
        {fullMl !== null && (
          <>
            <line
              className={styles.mark}
              x1="90"
              x2="216"
              y1={levelY(fullMl, capacityMl)}
              y2={levelY(fullMl, capacityMl)}
            />
            <text className={styles.small} x="222" y={levelY(fullMl, capacityMl) + 4}>
              {unitWords.atMostVolume(short(fullMl))}
            </text>
          </>
        )}
        <Labels
          state={state}
          isPast={lastKnown !== null}
          y={Math.min(210, Math.max(levelY(capacityMl, capacityMl) + 30, surfaceY + 6))}
        />
        <Leds leds={leds} />
        <rect
          className={styles.bar}
          {...(isTurning && { 'data-on': true })}
          x="128"
          y="246"
          width="44"
          height="8"
          rx="4"
        />
        <Heater percent={heaterPercent} />
        <text className={styles.small} x="150" y="302" textAnchor="middle">
          {isTurning ? unitWords.stirringRpm(fixedText(stirringRpm, 0)) : unitWords.stirrerOff}
        </text>
      </svg>
      {lastKnown !== null && <figcaption className={styles.caption}>{commonWords.lastKnown(lastKnown)}</figcaption>}
    </figure>
  );
}

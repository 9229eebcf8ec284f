import type { Fault, RoomCourse } from '@lcs/domain';
import { type Plant, plantOff } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';
import { farthestError, hold, type Run } from './thermostat.ts';

const targetC = 37;
const nearC = 0.5;
const hourS = 3600;
/** The probe is compared after this time, in a room of 22 °C. */
const comparedAfterS = 4 * hourS;
const changeAtS = 3 * hourS;
const endS = 6 * hourS;
const steadyFromS = 2 * hourS;
/** Thermal parameters differ from their middles by up to this share. */
const offBy = 0.5;
/** A room follows its heating with this time. Chosen. */
const roomTimeS = 900;

interface Scenario {
  readonly name: string;
  readonly ambientC: number;
  readonly room?: RoomCourse;
  /** A door of the room or of the incubator. */
  readonly door?: Fault;
  readonly forS: number;
  /** Without a target where no thermostat that measures every 200 s could meet it. */
  readonly hasOvershootTarget: boolean;
}

const change = (toC: number, timeConstantS: number): RoomCourse => ({
  kind: 'steps',
  steps: [{ atS: changeAtS, celsius: toC }],
  timeConstantS,
});

const scenarios: readonly Scenario[] = [
  { name: 'room 22 °C', ambientC: 22, forS: changeAtS, hasOvershootTarget: true },
  { name: 'room 18 °C', ambientC: 18, forS: changeAtS, hasOvershootTarget: true },
  { name: 'room 30 °C', ambientC: 30, forS: changeAtS, hasOvershootTarget: true },
  { name: 'room 22 to 30 °C, 15 min', ambientC: 22, room: change(30, roomTimeS), forS: endS, hasOvershootTarget: true },
  { name: 'room 30 to 18 °C, 15 min', ambientC: 30, room: change(18, roomTimeS), forS: endS, hasOvershootTarget: true },
  { name: 'room 22 to 30 °C at once', ambientC: 22, room: change(30, 0), forS: endS, hasOvershootTarget: false },
  { name: 'room 30 to 18 °C at once', ambientC: 30, room: change(18, 0), forS: endS, hasOvershootTarget: true },
  {
    name: 'door open for 10 min',
    ambientC: 22,
    door: { fault: 'door_open', fromS: changeAtS, untilS: changeAtS + 600 },
    forS: endS,
    hasOvershootTarget: true,
  },
  {
    name: 'room 18 to 30 °C in a day',
    ambientC: 24,
    room: { kind: 'wave', amplitudeC: 6, periodS: 24 * hourS },
    forS: 24 * hourS,
    hasOvershootTarget: true,
  },
];

const farthestOver = ({ liquid }: Run): number => Math.max(...liquid.map(({ liquidC }) => liquidC)) - targetC;

/** Minutes from an event until the liquid stays within 0.5 °C of its target. */
function minutesToReturn({ liquid }: Run, fromS: number): number {
  const last = liquid.findLast(({ atS, liquidC }) => atS > fromS && Math.abs(liquidC - targetC) > nearC);
  if (last === liquid.at(-1)) return Number.NaN;
  return ((last?.atS ?? fromS) - fromS) / 60;
}

const farthestUnder = ({ liquid }: Run): number =>
  targetC - Math.min(...liquid.filter(({ atS }) => atS >= steadyFromS).map(({ liquidC }) => liquidC));

async function figuresIn(
  plant: Plant,
  scenario: Scenario,
  comparison: Run['comparison'],
): Promise<readonly ScienceFigure[]> {
  const { name, ambientC, room, door, forS, hasOvershootTarget } = scenario;
  const run = await hold(plant, targetC, forS, [comparison], {
    ambientC,
    ...(room && { room }),
    ...(door && { faults: [door] }),
  });
  return [
    {
      name: `${name}: error of the estimate`,
      unit: '°C',
      value: farthestError(run, steadyFromS),
      // A draught changes the heat flows, too.
      ...(door === undefined && { aim: { atMost: 0.3 } }),
    },
    {
      name: `${name}: overshoot of the liquid`,
      unit: '°C',
      value: farthestOver(run),
      ...(hasOvershootTarget && { aim: { atMost: 0.5 } }),
    },
    { name: `${name}: liquid below its target, at most`, unit: '°C', value: farthestUnder(run) },
    ...(door
      ? [
          {
            name: `${name}: time from its closing until the liquid stays within ±0.5 °C`,
            unit: 'min',
            value: minutesToReturn(run, door.untilS),
          },
        ]
      : []),
  ];
}

/** The temperature inference in rooms that change, on vials whose thermal parameters differ by up to ±50 %. */
export const roomCase: ScienceCase = {
  name: 'room',
  about: [
    'Every thermal parameter of each vial is drawn anew, ±50 % about its middle. The thermostat holds 37 °C in a room of 22 °C and is compared with a probe',
    '(one decimal) after 4 h; everything else begins anew from a cold vial with that one comparison. Then the room is 18, 22 or 30 °C, changes at 3 h (with',
    'a time constant of 15 min, or at once), swings between 18 and 30 °C in a day, or a door opens for 10 min (3 °C colder, heat losses 50 % higher).',
    'Errors of the estimate: the largest from 2 h on. Overshoot: the liquid above 37 °C at any time, so it contains the error of the estimate and the',
    'ripple of the heater (0.2 °C, up to 0.4 °C in vials that warm quickly). A room that warms by 8 °C at once heats this vial by up to 0.9 °C before the next measurement',
    'could end the heat, whatever the estimate: that overshoot has no target. Without a trim the figures show what the board alone can tell: the coupling of board',
    'and liquid is not identifiable from the board ([decision 26](decisions/0026-the-room-is-a-state-of-the-temperature-inference.md)).',
  ].join(' '),
  run: async (plant) => {
    const off = plantOff(plant, offBy);
    const vial = { ambientC: 22 };
    const untrimmed = await hold(off, targetC, comparedAfterS, [], vial);
    const figures: ScienceFigure[] = [
      { name: 'room 22 °C, no trim: error of the estimate', unit: '°C', value: farthestError(untrimmed, steadyFromS) },
    ];
    for (const scenario of scenarios) figures.push(...(await figuresIn(off, scenario, untrimmed.comparison)));
    return figures;
  },
};

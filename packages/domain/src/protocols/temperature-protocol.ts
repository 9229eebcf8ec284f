import type { CalibrationContent, StepChart, StepTable } from '@lcs/contract';
import { leastComparedDuty } from '../temperature/thermal-observer.ts';
import { askName, confirmName, type NameSteps, takeConfirmation, takeName } from './name-steps.ts';
import {
  type Advance,
  dayOf,
  fieldOf,
  goTo,
  InvalidInput,
  type Protocol,
  type ProtocolFacts,
  performAction,
  stepOf,
} from './protocol.ts';
import type { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

const device = 'temperature';

/** A larger difference means that the probe is not in the liquid, or shows another unit. */
const maxDifferenceC = 10;
const mostPoints = 10;

const namesOf = (facts: ProtocolFacts): NameSteps => ({
  askStep: 'name',
  confirmStep: 'name_overwrite',
  next: 'compare',
  field: 'calibration_name',
  defaultName: `temperature-calibration-${dayOf(facts.nowMs)}`,
  isTaken: (name) => facts.calibrationExists(device, name),
});

interface Points {
  readonly estimated: readonly number[];
  readonly probe: readonly number[];
  readonly duty: readonly number[];
  readonly board: readonly number[];
}

const pointsOf = (data: SessionData): Points => {
  const { estimated = [], probe = [], duty = [], board = [] } = data.lists('points');
  return { estimated, probe, duty, board };
};

const rounded = (celsius: number): number => Math.round(100 * celsius) / 100;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The probe's temperature minus the estimate, °C. */
const offsetOf = ({ estimated, probe }: Points): number => rounded(mean(probe) - mean(estimated));

function compare(data: SessionData, inputs: StepInputs): Advance {
  const probeC = inputs.number('probe_c');
  return performAction('Reading the estimate', { kind: 'temperature' }, ({ estimatedC, boardC, duty: present }) => {
    if (Math.abs(probeC - estimatedC) > maxDifferenceC)
      throw new InvalidInput(
        `The unit estimates ${estimatedC} °C. The probe must not differ by more than ${maxDifferenceC} °C. Check that it is in the liquid and shows °C.`,
        'probe_c',
      );
    if (present < leastComparedDuty)
      throw new InvalidInput(
        `The heater is at ${present} %. A comparison needs at least ${leastComparedDuty} %: choose a target well above the temperature of the room, and wait until the liquid is steady.`,
        'probe_c',
      );
    const { estimated, probe, duty, board } = pointsOf(data);
    return goTo('more', {
      points: {
        estimated: [...estimated, rounded(estimatedC)],
        probe: [...probe, probeC],
        duty: [...duty, present],
        board: [...board, rounded(boardC)],
      },
    });
  });
}

function finish(data: SessionData, facts: ProtocolFacts): Advance {
  const points = pointsOf(data);
  const offset = offsetOf(points);
  const content: CalibrationContent = {
    calibration_type: 'temperature',
    calibration_name: data.text('calibration_name'),
    calibrated_on_reactor_unit: facts.unit,
    created_at: new Date(facts.nowMs).toISOString(),
    curve_data_: { type: 'poly', coefficients: [1, offset] },
    x: 'Estimated',
    y: 'Probe',
    recorded_data: { x: [...points.estimated], y: [...points.probe] },
    heater_duty: [...points.duty],
    board_temperature: [...points.board],
  };
  const farthest = Math.max(...points.probe.map((probe, i) => Math.abs(probe - (points.estimated[i] ?? 0) - offset)));
  return {
    kind: 'finish',
    files: [{ kind: 'calibration', device, content }],
    result: (links) => ({
      title: 'The trim is stored, and in use from the next start of temperature control',
      offset_c: offset,
      points: points.probe.length,
      farthest_point_c: rounded(farthest),
      calibrations: links.map(({ name, path }) => ({ device, calibration_name: name, path })),
    }),
  };
}

/** The comparisons, with the corrected estimate as a line. */
const chartOf = (points: Points): StepChart => ({
  title: 'Comparisons so far',
  x_label: 'Estimated, °C',
  y_label: 'Probe, °C',
  series: [
    {
      id: 'comparisons',
      label: 'Comparisons',
      points: points.estimated.map((x, index) => ({ x, y: points.probe[index] ?? 0 })),
      line: [Math.min(...points.estimated), Math.max(...points.estimated)].map((x) => ({
        x,
        y: x + offsetOf(points),
      })),
    },
  ],
});

/** The comparisons as a table; each can be left out. */
const tableOf = (points: Points): StepTable => ({
  title: 'Comparisons so far',
  columns: ['Comparison', 'Estimated, °C', 'Probe, °C', 'Difference, °C'],
  rows: points.estimated.map((estimated, index) => {
    const probe = points.probe[index] ?? 0;
    return [index + 1, estimated, probe, rounded(probe - estimated)];
  }),
  row_actions: points.estimated.map((_, index) => [
    { label: 'Leave out', inputs: { action: 'drop_comparison', comparison: index + 1 } },
  ]),
});

/** Leaves one comparison out. @throws InvalidInput */
function dropComparison(data: SessionData, comparison: number): Advance {
  const { estimated, probe, duty, board } = pointsOf(data);
  const index = comparison - 1;
  if (!(index in probe)) throw new InvalidInput(`The comparison must be one of the ${probe.length} measured ones.`);
  const without = (values: readonly number[]) => values.toSpliced(index, 1);
  const points = { estimated: without(estimated), probe: without(probe), duty: without(duty), board: without(board) };
  return goTo(points.probe.length > 0 ? 'more' : 'compare', { points });
}

function moreStep(data: SessionData) {
  const points = pointsOf(data);
  const count = points.probe.length;
  const body = `The probe shows ${offsetOf(points)} °C more than the estimate, over ${count} ${count === 1 ? 'point' : 'points'}.`;
  const again = fieldOf({ name: 'another', label: 'Compare again', field_type: 'bool', default: count < 2 });
  return stepOf('more', 'form', {
    title: 'Another comparison?',
    body: `${body} A second one, later or at another temperature, shows how well the trim holds.`,
    fields: [again],
    metadata: { chart: chartOf(points), table: tableOf(points) },
  });
}

/** The difference between a probe in the vial and the unit's estimate. */
export const temperatureProtocol: Protocol = {
  name: 'probe_trim',
  priority: 99,
  title: 'Correct temperature with a probe',
  description: 'Compares the estimated temperature of the liquid with a probe in the vial.',
  requirements: [
    'Temperature control, running at the temperature of the experiment for an hour or more',
    'Stirring, with a stir bar in the vial',
    'A probe in the liquid, with a display of 0.1 °C or better',
  ],
  devices: () => [device],
  effect: () =>
    'Nothing is switched: the heater goes on as it is. A probe that is not sterile contaminates the culture, and an open lid lets light onto the photodiodes. The trim applies from the next start of temperature control.',
  refusal: (_device, { runningJobs }) =>
    runningJobs.includes('temperature_automation')
      ? undefined
      : 'Temperature control is not running: start it, and wait until the temperature is steady.',
  start: () => ({ stepId: 'intro', data: { points: { estimated: [], probe: [], duty: [], board: [] } } }),
  step: ({ stepId, data }, facts) => {
    if (stepId === 'name') return askName(namesOf(facts));
    if (stepId === 'name_overwrite') return confirmName(namesOf(facts), data.text('calibration_name'));
    if (stepId === 'more') return moreStep(data);
    if (stepId === 'compare')
      return stepOf(stepId, 'form', {
        title: 'Read the probe',
        body: 'Hold the probe in the middle of the liquid until its display is steady, and enter its value.',
        fields: [fieldOf({ name: 'probe_c', label: 'Probe, °C', field_type: 'float', minimum: 0, maximum: 100 })],
      });
    return stepOf('intro', 'info', {
      title: 'Correct temperature with a probe',
      body: 'The unit infers the temperature of the liquid from its heater board. How warm the board is above the liquid differs from vial to vial, and only a probe shows it: wait until the temperature is steady at the target of your experiment. One comparison is enough, two are better. It stays valid when the room or the target changes.',
    });
  },
  advance: ({ stepId, data }, inputs, facts) => {
    if (stepId === 'intro') return goTo('name');
    if (stepId === 'name') return takeName(namesOf(facts), inputs);
    if (stepId === 'name_overwrite') return takeConfirmation(namesOf(facts), inputs);
    if (stepId === 'compare') return compare(data, inputs);
    if (inputs.action === 'drop_comparison') return dropComparison(data, inputs.count('comparison') ?? 0);
    const wantsMore = inputs.boolean('another');
    if (wantsMore && pointsOf(data).probe.length >= mostPoints)
      throw new InvalidInput(`A session must have at most ${mostPoints} comparisons.`, 'another');
    return wantsMore ? goTo('compare') : finish(data, facts);
  },
};

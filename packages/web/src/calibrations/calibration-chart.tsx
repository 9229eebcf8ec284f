import type { Calibration } from '@lcs/contract';
import { curveAt } from '@lcs/domain';
import { PointChart } from './point-chart.tsx';

/** Straight segments that draw a curve. */
const segments = 60;

/** Units of axes whose names have none. */
const axisUnits = new Map([
  ['Duration', 's'],
  ['Volume', 'mL'],
  ['Voltage', 'V'],
  ['Estimated', '°C'],
  ['Probe', '°C'],
]);

const axisOf = (name: string): string => {
  const unit = axisUnits.get(name);
  return unit === undefined ? name : `${name}, ${unit}`;
};

function curveOf({ curve_data_: curve, recorded_data: { x } }: Calibration) {
  if (x.length === 0) return [];
  const [low, high] = [Math.min(...x), Math.max(...x)];
  return Array.from({ length: segments + 1 }, (_, at) => {
    const atX = low + ((high - low) * at) / segments;
    return { x: atX, y: curveAt(curve, atX) };
  });
}

/** The curve of a calibration with the points that it was fitted to. */
export function CalibrationChart({ calibration }: { readonly calibration: Calibration }) {
  const { calibration_name: name, x, y, recorded_data: points } = calibration;
  return (
    <PointChart
      title={`${name}: ${y} by ${x}`}
      x_label={axisOf(x)}
      y_label={axisOf(y)}
      series={[{ label: 'Points', points: points.x.map((at, index) => ({ x: at, y: points.y[index] ?? 0 })) }]}
      curve={curveOf(calibration)}
      description={`A curve through ${points.x.length} points.`}
    />
  );
}

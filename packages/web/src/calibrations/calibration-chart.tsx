import type { Calibration } from '@lcs/contract';
import { calibrationsWords } from '../words/calibrations.ts';
import { axisOf, curveOf } from './curve-line.ts';
import { PointChart } from './point-chart.tsx';

/** The curve of a calibration with the points that it was fitted to. */
export function CalibrationChart({ calibration }: { readonly calibration: Calibration }) {
  const { calibration_name: name, x, y, recorded_data: points } = calibration;
  return (
    <PointChart
      title={calibrationsWords.curveOf(name, y, x)}
      x_label={axisOf(x)}
      y_label={axisOf(y)}
      series={[
        { label: calibrationsWords.points, points: points.x.map((at, index) => ({ x: at, y: points.y[index] ?? 0 })) },
      ]}
      curve={curveOf(calibration)}
      description={calibrationsWords.curveThroughPoints(points.x.length)}
    />
  );
}

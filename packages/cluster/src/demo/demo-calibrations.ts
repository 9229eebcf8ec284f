import type { UnitNode } from '../unit-node.ts';

/** Run times in the invented calibration of a pump, seconds. */
const runsS = [1, 5, 10, 20];

/**
 * Stores calibrations of the pumps of a simulated unit, so that doses by volume and automations can be tried at once. Their lines
 * are those of its vial; their name shows that they are not measured.
 */
export async function calibratePumps(unit: string, node: UnitNode, nowMs: number): Promise<void> {
  const flows = node.board.plant?.vial.parameters.pumpFlow;
  if (flows === undefined) return;
  const store = async ([pump, mlPerSecond]: [string, number]): Promise<void> => {
    const device = `${pump}_pump`;
    const slope = Number(mlPerSecond.toFixed(4));
    // JSON is YAML.
    const content = JSON.stringify({
      calibration_type: 'simple_peristaltic_pump',
      calibration_name: `simulated-${device.replaceAll('_', '-')}`,
      calibrated_on_reactor_unit: unit,
      created_at: new Date(nowMs).toISOString(),
      curve_data_: { type: 'poly', coefficients: [slope, 0] },
      x: 'Duration',
      y: 'Volume',
      recorded_data: { x: runsS, y: runsS.map((seconds) => Number((seconds * slope).toFixed(4))) },
      hz: 250,
      dc: 100,
      voltage: 12,
    });
    await node.addFirstCalibration(device, content);
  };
  await Promise.all(Object.entries(flows).map(store));
}

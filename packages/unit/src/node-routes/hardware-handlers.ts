import { ApiError, type Handlers, type HardwareCheck, type HardwareChecked, type hardwareRoutes } from '@lcs/contract';
import { normaliseModelName } from '@lcs/domain';
import { type BoardLayout, BusError, type Buses, converterInput, i2cDevice, type ReactorModel } from '@lcs/hardware';
import { resultPath } from '@lcs/node';
import type { TaskRunner } from '@lcs/platform';
import { converterProbe, heaterBoardProbe, ledDriverProbe, probe } from '../hardware/chip-probes.ts';

export interface HardwareHandlersOptions {
  readonly unit: string;
  readonly tasks: TaskRunner;
  readonly buses: Buses;
  readonly layoutFor: (model: ReactorModel) => BoardLayout;
  readonly isModel: (name: string, version: string) => boolean;
}

/** The routes that access the board itself. Call it before `tasks` starts. */
export function hardwareHandlers(options: HardwareHandlersOptions): Handlers<typeof hardwareRoutes> {
  const { unit, tasks, isModel } = options;
  const kind = {
    kind: 'hardware.check',
    run: ({ model_name, model_version }: HardwareCheck) =>
      checkChips(options, { name: normaliseModelName(model_name), version: model_version }),
  };
  tasks.register(kind);
  const check: Handlers<typeof hardwareRoutes>['checkHardware'] = async ({ body }) => {
    const { model_name, model_version } = body;
    if (!isModel(model_name, model_version))
      throw new ApiError('model_unknown', {
        cause: `The model ${model_name} ${model_version} is unknown to this unit.`,
      });
    const { taskId } = await tasks.submit(kind, body);
    return {
      status: 202,
      body: { unit, task_id: taskId, result_url_path: resultPath(taskId), status: 'accepted' },
    };
  };
  return { checkHardware: check, checkHardwareByPatch: check };
}

/** Whether each chip that a reactor of this model needs acknowledges. */
async function checkChips(
  { buses, layoutFor }: HardwareHandlersOptions,
  model: ReactorModel,
): Promise<HardwareChecked> {
  const layout = layoutFor(model);
  const { noPhotodiodes } = layout;
  if (layout.isAssumed === true)
    return {
      status: 'skipped',
      reason: `The addresses of the converters of ${model.name} ${model.version} are unknown.`,
    };
  const probes = new Map(
    [
      ...Object.values(layout.photodiodes).map((place) => converterProbe(converterInput(place))),
      heaterBoardProbe(layout),
      ledDriverProbe(layout),
    ].map((one) => [one.address, one] as const),
  );
  const silent: string[] = [];
  for (const one of probes.values()) {
    try {
      await probe(buses.i2c, one);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      silent.push(i2cDevice(one.address));
    }
  }
  const reasons = [
    ...(noPhotodiodes === undefined ? [] : [noPhotodiodes]),
    ...(silent.length === 0 ? [] : [`No response from ${silent.join(', ')}.`]),
  ];
  return reasons.length === 0 ? { status: 'ok' } : { status: 'warning', reason: reasons.join(' ') };
}

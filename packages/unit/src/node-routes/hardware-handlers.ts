import { ApiError, type Handlers, type HardwareCheck, type HardwareChecked, type hardwareRoutes } from '@lcs/contract';
import { type BoardLayout, BusError, type Buses, i2cDevice } from '@lcs/hardware';
import { resultPath, type TaskRunner } from '@lcs/platform';

export interface HardwareHandlersOptions {
  readonly unit: string;
  readonly tasks: TaskRunner;
  readonly buses: Buses;
  readonly layout: BoardLayout;
  readonly isModel: (name: string, version: string) => boolean;
}

/** The routes that ask the board itself. To be called before `tasks` starts. */
export function hardwareHandlers(options: HardwareHandlersOptions): Handlers<typeof hardwareRoutes> {
  const { unit, tasks, isModel } = options;
  const kind = {
    kind: 'hardware.check',
    run: (_: HardwareCheck) => checkChips(options),
  };
  tasks.register(kind);
  const check: Handlers<typeof hardwareRoutes>['checkHardware'] = async ({ body }) => {
    const { model_name, model_version } = body;
    if (!isModel(model_name, model_version))
      throw new ApiError('model_unknown', { cause: `This unit knows no ${model_name} ${model_version}.` });
    const { taskId } = await tasks.submit(kind, body);
    return {
      status: 202,
      body: { unit, task_id: taskId, result_url_path: resultPath(taskId), status: 'accepted' },
    };
  };
  return { checkHardware: check, checkHardwareByPatch: check };
}

/** Whether each chip of the layout acknowledges. */
async function checkChips({ buses, layout }: HardwareHandlersOptions): Promise<HardwareChecked> {
  const silent: string[] = [];
  // Register 1 of a converter is its configuration: reading that takes no reading from a job.
  for (const address of [...Object.values(layout.photodiodes), layout.temperatureAddress, layout.ledDriver.address]) {
    try {
      await buses.i2c.readRegister(address, 1, 2);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      silent.push(i2cDevice(address));
    }
  }
  return silent.length === 0 ? { status: 'ok' } : { status: 'warning', reason: `No answer from ${silent.join(', ')}.` };
}

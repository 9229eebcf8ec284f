import { ApiError } from '@lcs/contract';
import type { ReceivedStart } from '@lcs/node';
import type { IniView } from '@lcs/platform';
import type { HardwareSurvey } from './hardware-survey.ts';
import { hardwareNeeds } from './job-needs.ts';

/** Whether this unit has what its jobs need. */
export class JobHardware {
  readonly #survey: HardwareSurvey;
  readonly #config: () => IniView;

  constructor(survey: HardwareSurvey, config: () => IniView) {
    this.#survey = survey;
    this.#config = config;
  }

  /** The missing parts of a job in the newest survey, in one sentence; undefined: it can run. */
  missing(job: string, automation?: string, received?: ReceivedStart): string | undefined {
    return this.#survey.missing(hardwareNeeds(job, automation, this.#config(), received));
  }

  /** Surveys again first: a part may have been connected just now. @throws ApiError `job_hardware_missing` */
  async mustHave(job: string, automation?: string, received?: ReceivedStart): Promise<void> {
    if (hardwareNeeds(job, automation, this.#config(), received).length === 0) return;
    await this.#survey.run();
    const missing = this.missing(job, automation, received);
    if (missing !== undefined) throw new ApiError('job_hardware_missing', { job, missing });
  }
}

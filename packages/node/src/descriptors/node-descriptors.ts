import {
  type AutomationDescriptor,
  AutomationFile,
  type ChartDescriptor,
  ChartFile,
  type DescriptorProblem,
  type JobDescriptor,
  JobFile,
  ReadingFile,
  type ReadingSource,
  type SettingsDescriptor,
  SettingsFile,
} from '@lcs/contract';
import {
  type AutomationType,
  automationTypes,
  type BioreactorValues,
  builtInAutomations,
  builtInSettings,
  completeAutomation,
  completeChart,
  completeJob,
  completeReading,
  completeSettingsCollection,
  jobDescriptors,
  listedSources,
} from '@lcs/domain';
import type { Log } from '@lcs/platform';
import { DescriptorCatalog } from './descriptor-catalog.ts';
import { descriptorReader } from './yaml-descriptor.ts';

export interface NodeDescriptorsOptions {
  readonly dataFolder: string;
  readonly log: Log;
  /** The values of a vial at the start of an experiment. */
  readonly initialValues: () => BioreactorValues;
}

/** The folders of a kind: a user's files, then those of plugins. */
const foldersOf = (kind: string): readonly string[] => [`ui/${kind}`, `plugins/ui/${kind}`];

/** The fields of a collection of settings that a file may override: texts, not values. */
const bioreactor = 'bioreactor';

/** Descriptors of a node: those of the program and those of its files. */
export class NodeDescriptors {
  readonly #options: NodeDescriptorsOptions;
  readonly #jobs: DescriptorCatalog<JobDescriptor>;
  readonly #settings: DescriptorCatalog<SettingsDescriptor>;
  readonly #charts: DescriptorCatalog<ChartDescriptor>;
  readonly #readings: DescriptorCatalog<ReadingSource>;
  readonly #automations: ReadonlyMap<AutomationType, DescriptorCatalog<AutomationDescriptor>>;

  constructor(options: NodeDescriptorsOptions) {
    const { dataFolder, log } = options;
    this.#options = options;
    const common = (kind: string) => ({ kind, dataFolder, log, folders: foldersOf(kind) });
    this.#jobs = new DescriptorCatalog({
      ...common('jobs'),
      keyOf: ({ job_name }) => job_name,
      read: descriptorReader(JobFile, completeJob),
    });
    this.#settings = new DescriptorCatalog({
      ...common('settings'),
      keyOf: ({ key }) => key,
      read: descriptorReader(SettingsFile, completeSettingsCollection),
    });
    this.#charts = new DescriptorCatalog({
      ...common('charts'),
      keyOf: ({ chart_key }) => chart_key,
      read: descriptorReader(ChartFile, completeChart),
    });
    this.#readings = new DescriptorCatalog({
      ...common('readings'),
      keyOf: ({ name }) => name,
      read: descriptorReader(ReadingFile, completeReading),
    });
    const automation = descriptorReader(AutomationFile, completeAutomation);
    this.#automations = new Map(
      automationTypes.map((type) => [
        type,
        new DescriptorCatalog({
          ...common(`automations/${type}`),
          keyOf: ({ automation_name }: AutomationDescriptor) => automation_name,
          read: automation,
        }),
      ]),
    );
  }

  jobs(): Promise<JobDescriptor[]> {
    return this.#jobs.list(jobDescriptors);
  }

  async settings(): Promise<SettingsDescriptor[]> {
    const builtIn = builtInSettings(this.#options.initialValues());
    const own = builtIn.find(({ key }) => key === bioreactor);
    const all = await this.#settings.list(builtIn);
    return all.map((collection) =>
      collection.key === bioreactor && own !== undefined ? withTextsOf(collection, own) : collection,
    );
  }

  async automations(type: AutomationType): Promise<AutomationDescriptor[]> {
    return (await this.#automations.get(type)?.list(builtInAutomations[type])) ?? [];
  }

  /** @param builtIn those of the program, which depend on the configuration */
  charts(builtIn: readonly ChartDescriptor[]): Promise<ChartDescriptor[]> {
    return this.#charts.list(builtIn);
  }

  /** The sources of readings: those of the program and those that plugins declare. */
  readingSources(): Promise<ReadingSource[]> {
    return this.#readings.list(listedSources);
  }

  /** Omitted files with their reasons. */
  async problems(): Promise<DescriptorProblem[]> {
    const catalogs = [this.#jobs, this.#settings, this.#charts, this.#readings, ...this.#automations.values()];
    return (await Promise.all(catalogs.map((catalog) => catalog.problems()))).flat();
  }
}

/** The program's settings with the texts of a file; unknown keys are omitted. */
function withTextsOf(file: SettingsDescriptor, own: SettingsDescriptor): SettingsDescriptor {
  const texts = new Map(file.published_settings.map((setting) => [setting.key, setting]));
  return {
    ...file,
    published_settings: own.published_settings.map((setting) => {
      const { label, description, unit, display } = texts.get(setting.key) ?? setting;
      return { ...setting, label, description, unit, display };
    }),
  };
}

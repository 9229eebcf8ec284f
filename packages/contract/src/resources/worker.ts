import { type Static, Type } from 'typebox';
import { closed, Flag, FlagInput, Nullable, Timestamp, textLimit } from './common.ts';

const modelFields = {
  model_name: Nullable(Type.String()),
  model_version: Nullable(Type.String()),
};

export const Worker = closed(
  { reactor_unit: Type.String(), added_at: Timestamp, is_active: Flag, ...modelFields },
  { title: 'Worker' },
);
export type Worker = Static<typeof Worker>;

export const ListedWorker = closed(
  {
    reactor_unit: Type.String(),
    added_at: Timestamp,
    is_active: Flag,
    ...modelFields,
    ipv4_address: Nullable(Type.String({ description: 'From [cluster.addresses] of the shared configuration' })),
  },
  { title: 'ListedWorker' },
);
export type ListedWorker = Static<typeof ListedWorker>;

export const WorkerRegistration = closed(
  {
    reactor_unit: Type.String({ maxLength: textLimit, description: '1 to 63 letters, digits, dashes or underscores' }),
    model_name: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
    model_version: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
  },
  { title: 'WorkerRegistration' },
);
export type WorkerRegistration = Static<typeof WorkerRegistration>;

/** Request that makes a running machine a worker. */
export const WorkerSetup = closed(
  {
    name: Type.String({ maxLength: textLimit, description: '1 to 63 letters, digits, dashes or underscores' }),
    model: Type.String({ maxLength: textLimit, description: 'Name of its model' }),
    version: Type.String({ maxLength: textLimit, description: 'Version of its model' }),
    ipv4_address: Type.Optional(
      Nullable(
        Type.String({ maxLength: textLimit, description: 'Its address; empty or null: resolved from its name' }),
      ),
    ),
  },
  { title: 'WorkerSetup' },
);
export type WorkerSetup = Static<typeof WorkerSetup>;

export const WorkerActivation = closed({ is_active: FlagInput }, { title: 'WorkerActivation' });
export type WorkerActivation = Static<typeof WorkerActivation>;

/** A worker as an experiment lists it. */
export const ExperimentWorker = closed(
  { reactor_unit: Type.String(), is_active: Flag, ...modelFields },
  { title: 'ExperimentWorker' },
);
export type ExperimentWorker = Static<typeof ExperimentWorker>;

export const Assignment = closed(
  { reactor_unit: Type.String(), experiment: Nullable(Type.String()), is_active: Flag },
  { title: 'Assignment' },
);
export type Assignment = Static<typeof Assignment>;

export const AssignmentChange = closed(
  { reactor_unit: Type.String({ maxLength: textLimit }) },
  { title: 'AssignmentChange' },
);
export type AssignmentChange = Static<typeof AssignmentChange>;

export const WorkerExperiment = closed(
  { reactor_unit: Type.String(), is_active: Flag, experiment: Type.String(), ...modelFields },
  { title: 'WorkerExperiment' },
);
export type WorkerExperiment = Static<typeof WorkerExperiment>;

export const Unit = closed({ reactor_unit: Type.String() }, { title: 'Unit' });
export type Unit = Static<typeof Unit>;

const modelProperties = {
  model_name: Type.String(),
  model_version: Type.String(),
  display_name: Type.String(),
  reactor_capacity_ml: Type.Number({ exclusiveMinimum: 0 }),
  reactor_diameter_mm: Type.Number({ exclusiveMinimum: 0 }),
  reactor_max_fill_volume_ml: Type.Number({ exclusiveMinimum: 0 }),
  max_temp_to_reduce_heating: Type.Number({ description: 'Degrees Celsius' }),
  max_temp_to_disable_heating: Type.Number({ description: 'Degrees Celsius' }),
  max_temp_to_shutdown: Type.Number({ description: 'Degrees Celsius' }),
  is_legacy: Type.Boolean(),
  is_contrib: Type.Boolean({ description: 'Defined by a file in the data folder' }),
};

export const Model = closed(modelProperties, { title: 'Model' });
export type Model = Static<typeof Model>;

export const ModelList = closed({ models: Type.Array(Model) }, { title: 'ModelList' });
export type ModelList = Static<typeof ModelList>;

export const ModelChoice = closed(
  { model_name: Type.String({ maxLength: textLimit }), model_version: Type.String({ maxLength: textLimit }) },
  { title: 'ModelChoice' },
);
export type ModelChoice = Static<typeof ModelChoice>;

export const WorkerModel = closed({ reactor_unit: Type.String(), ...modelProperties }, { title: 'WorkerModel' });
export type WorkerModel = Static<typeof WorkerModel>;

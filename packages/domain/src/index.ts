export * from './actuations/actuation.ts';
export * from './actuations/actuation-reason.ts';
export * from './actuations/actuation-sentence.ts';
export * from './alarms/alarm-lifecycle.ts';
export * from './alarms/alarm-rule.ts';
export * from './alarms/built-in-alarm-rules.ts';
export * from './alarms/condition-phase.ts';
export * from './automations/automation.ts';
export * from './automations/automation-jobs.ts';
export * from './automations/automations.ts';
export * from './automations/biomass.ts';
export { chemostatPumpedMl } from './automations/chemostat.ts';
export * from './automations/dilution-warning.ts';
export * from './automations/dosing-automation.ts';
export * from './automations/dosing-limits.ts';
export * from './automations/dosing-states.ts';
export * from './automations/led-automation.ts';
export { highDensity as morbidostatHighDensity, pidMorbidostat } from './automations/pid-morbidostat.ts';
export * from './automations/readings-of-dosing.ts';
export { onlyRecordTemperature, thermostatAutomation } from './automations/temperature-automations.ts';
export { turbidostat } from './automations/turbidostat.ts';
export * from './bioreactor/bioreactor-values.ts';
export * from './boards.ts';
export * from './calibrations/calibration-file.ts';
export {
  validateCalibrationName,
  validateDeviceName,
} from './calibrations/calibration-names.ts';
export * from './calibrations/calibration-quality.ts';
export * from './calibrations/calibration-use.ts';
export { InvalidCalibrationFile } from './calibrations/file-fields.ts';
export * from './calibrations/relation.ts';
export { turningPoint } from './calibrations/turning-point.ts';
export * from './charts/chart-descriptors.ts';
export * from './charts/data-sources.ts';
export * from './control/pid.ts';
export { curveAt, EmptyCurve } from './curves/curve.ts';
export { fitSpline } from './curves/fit-spline.ts';
export { domainOf, inverseOf } from './curves/inverse.ts';
export { quantile } from './curves/quantile.ts';
export * from './descriptors/built-in-job-descriptors.ts';
export * from './descriptors/built-in-settings.ts';
export * from './descriptors/complete-descriptor.ts';
export * from './dosing/delivered.ts';
export * from './dosing/dilution.ts';
export * from './dosing/dose-limits.ts';
export * from './dosing/dosing-capacity.ts';
export * from './dosing/dosing-forecast.ts';
export * from './dosing/evidence/culture-filter.ts';
export * from './dosing/evidence/dose-evidence.ts';
export * from './dosing/evidence/waste-check.ts';
export * from './dosing/keeping-up.ts';
export * from './dosing/pump-run.ts';
export * from './dosing/pump-script.ts';
export * from './dosing/vial-balance.ts';
export * from './dosing/wash-out.ts';
export * from './estimators/estimator-file.ts';
export { type AngleSignals, type FusedDensity, type FusionModel, fuse } from './estimators/od-fusion.ts';
export * from './growth-curves/index.ts';
export { restartFilter } from './growth-rate/bases.ts';
export { bankSize } from './growth-rate/filter-bank.ts';
export {
  currentEstimate,
  type GrowthRateEstimate,
  type GrowthRateFlag,
  isPublishedGrowthFlag,
} from './growth-rate/filter-reading.ts';
export * from './growth-rate/growth-rate-filter.ts';
export * from './growth-rate/growth-rate-parameters.ts';
export * from './growth-rate/growth-rate-state.ts';
export * from './growth-rate/growth-replay.ts';
export * from './growth-rate/growth-smoother.ts';
export * from './growth-rate/shift-time.ts';
export { isUsableForGrowth, unusableForGrowth } from './growth-rate/usable-readings.ts';
export { type OdObservation, StuckSensorError } from './growth-rate/warm-up.ts';
export * from './interruptions/interruption-sentence.ts';
export * from './jobs/built-in-jobs.ts';
export * from './jobs/calibration-jobs.ts';
export * from './jobs/check-job-value.ts';
export * from './jobs/dependent-jobs.ts';
export * from './jobs/job-declaration.ts';
export * from './jobs/job-titles.ts';
export * from './jobs/pump-jobs.ts';
export * from './jobs/restart-options.ts';
export * from './jobs/self-test-job.ts';
export * from './models/built-in-models.ts';
export * from './models/model-name.ts';
export * from './names/experiment-name.ts';
export * from './names/name-hint.ts';
export * from './names/tags.ts';
export * from './names/unit-label.ts';
export * from './names/unit-name.ts';
export type { Validated } from './names/validation.ts';
export * from './names/versions.ts';
export * from './od/blank-mean.ts';
export { blankEventName, blankValues } from './od/blank-text.ts';
export * from './od/exponential-average.ts';
export * from './od/od-reading-states.ts';
export * from './od/optical-reading.ts';
export * from './od/reading-rules.ts';
export * from './od/reference-tracker.ts';
export * from './od/signal-quality.ts';
export { countedFailures } from './profiles/counted-failures.ts';
export type { ProfileDiagnostic, ProfileDiagnosticCode, ProfileSeverity } from './profiles/diagnostic.ts';
export * from './profiles/evaluated-action.ts';
export { EvaluationError, type ExpressionScope, type PublishedOf } from './profiles/expressions/evaluate.ts';
export type { FormattedProfile } from './profiles/format-profile.ts';
export * from './profiles/late-steps.ts';
export { type InputWords, libraryInputs } from './profiles/library/library-inputs.ts';
export * from './profiles/library/profile-library.ts';
export * from './profiles/numbered-items.ts';
export * from './profiles/parse-profile.ts';
export * from './profiles/plugin-version.ts';
export { preflightChecks, preflightFindings } from './profiles/preflight/preflight.ts';
export type { PreflightFacts, PreflightUnit, ReportedJob } from './profiles/preflight/preflight-facts.ts';
export * from './profiles/profile.ts';
export { validateProfileFileName } from './profiles/profile-file-name.ts';
export * from './profiles/profile-parameters.ts';
export { namedUnits, profilePlan } from './profiles/profile-plan.ts';
export { profileSchema } from './profiles/profile-schema.ts';
export * from './profiles/rehearsal/drawn-run.ts';
export * from './profiles/rehearsal/summarise-draws.ts';
export * from './profiles/rehearsal/vial-draws.ts';
export * from './profiles/timeline.ts';
export * from './profiles/unsupported-parts.ts';
export * from './protocols/answer-inputs.ts';
export { experimentEffect, isLiquidJob, withEffect } from './protocols/experiment-effect.ts';
export * from './protocols/protocol.ts';
export { availableProtocols, protocolFor } from './protocols/protocols.ts';
export { SessionData } from './protocols/session-data.ts';
export { StepInputs } from './protocols/step-inputs.ts';
export * from './protocols/stirring-sweep.ts';
export * from './readings/flag-descriptions.ts';
export * from './readings/reading-sources.ts';
export * from './self-test/self-test.ts';
export * from './settings/check-settings.ts';
export {
  automationConstants,
  biomassSignalOf,
  bioreactorSettings,
  bottleSettings,
  cameraSettings,
  dosingSettings,
  growthRateSettings,
  odReadingSettings,
  photodiodeAngle,
  photodiodeSettings,
  pwmSettings,
  stirringGains,
  stirringSettings,
  thermostatGains,
} from './settings/job-settings.ts';
export * from './settings/leader-settings.ts';
export {
  backupSettings,
  exportSettings,
  mcpSettings,
  monitorSettings,
  mqttSettings,
  outboxSettings,
  overviewSettings,
  pluginSettings,
  resumeSettings,
  topologySettings,
  uiSettings,
} from './settings/node-settings.ts';
export * from './settings/pump-outputs.ts';
export * from './settings/read-setting.ts';
export type { SettingDeclaration } from './settings/setting-declaration.ts';
export * from './settings/setting-diagnostics.ts';
export * from './settings/settings.ts';
export * from './stirring/measured-speed.ts';
export * from './stirring/quiet-periods.ts';
export * from './stirring/speed-controller.ts';
export * from './stirring/stirrer-states.ts';
export * from './stirring/stirring-calibration.ts';
export * from './temperature/board-check.ts';
export * from './temperature/heater-cycle.ts';
export * from './temperature/liquid-temperature.ts';
export * from './temperature/probe-comparisons.ts';
export * from './temperature/temperature-states.ts';
export * from './temperature/thermal-observer.ts';
export * from './temperature/thermostat.ts';
export * from './temperature/warm-up.ts';
export * from './time/delta-hours.ts';
export * from './time/elapsed.ts';
export * from './topics/topic-rules.ts';
export * from './topics/topic-table.ts';
export { longestYaml, type Position } from './yaml/locate-yaml.ts';
export { readYaml, YamlError, type YamlValue } from './yaml/read-yaml.ts';

/** The profiles of the documentation: each uses another part of the language. */
export const warmUp = `experiment_profile_name: warm-up then turbidostat
version: "1.0"
metadata: {author: lab, description: heat, read OD for an hour, then hold density}
inputs: {target: 1.8, vol: 0.7}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 450}}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: 37}}
    od_reading:
      actions:
        - {type: start, t: 30m, config_overrides: {smoothing_penalizer: 4.0}}
    growth_rate_calculating:
      actions:
        - {type: start, t: 35m}
    dosing_automation:
      actions:
        - type: when
          t: 1h
          wait_until: \${{ ::growth_rate_calculating:od_filtered.od_filtered > target }}
          actions:
            - {type: start, t: 0s, options: {automation_name: turbidostat, target_biomass: "\${{ target }}", exchange_volume_ml: "\${{ vol }}", biomass_signal: normalized_od}}
            - {type: log, t: 1s, options: {message: "holding \${{ unit() }} at \${{ target }}"}}
`;

export const staircase = `experiment_profile_name: temperature staircase
version: "1.0"
inputs: {step: 1.0, top: 42}
common:
  jobs:
    temperature_automation:
      actions:
        - {type: start, t: 0, options: {automation_name: thermostat, target_temperature: 30}}
        - type: repeat
          t: 2h
          every: 2h
          while: ::temperature_automation:target_temperature < top
          max_time: 2d
          actions:
            - {type: update, t: 0s, options: {target_temperature: "\${{ ::temperature_automation:target_temperature + step }}"}}
            - {type: log, t: 1m, options: {message: "now \${{ ::temperature_automation:target_temperature }} C after \${{ hours_elapsed() }} h", level: info}}
`;

export const twoArms = `experiment_profile_name: two arms, light versus dark
version: "1.0"
plugins: [{name: air-bubbler, version: ">=0.4"}]
reactors:
  unit1:
    label: light
    jobs:
      led_automation:
        actions:
          - {type: start, t: 1m, options: {automation_name: light_dark_cycle, light_intensity: 20, light_duration_minutes: 720, dark_duration_minutes: 720}}
          - {type: pause, t: 3d}
          - {type: resume, t: 80h, if: "::led_automation:$state == sleeping"}
          - {type: stop, t: 5d}
  unit2:
    label: dark
    jobs:
      led_intensity:
        actions:
          - {type: start, t: 1m, options: {B: 0, C: 0, D: 0}}
`;

/** A profile of one job with these actions, each a line of YAML. */
export const withActions = (...actions: readonly string[]): string => `version: "1.0"
experiment_profile_name: p
common:
  jobs:
    stirring:
      actions:
${actions.map((action) => `        - ${action}`).join('\n')}
`;

/** An expression in its brackets, quoted for YAML. */
export const inBrackets = (...expressions: readonly string[]): string =>
  `"${expressions.map((expression) => `\${{ ${expression} }}`).join(' and ')}"`;

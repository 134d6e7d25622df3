package main

import (
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/runtime/model"
)

// settingsFlags override the settings of the model.
type settingsFlags struct {
	With cli.OptionList `sep:"none" options:"settings" placeholder:"NAME=VALUE" help:"Value of a setting, such as lambda=0.3; may be repeated. The default is the model's; for a new model, the validation split chooses it."`

	values map[*model.Setting]float64
}

// readSettings reads the values.
func (c *settingsFlags) readSettings() error {
	c.values = map[*model.Setting]float64{}
	return c.With.Set("--with", settingOptions(c.values))
}

// checkRead reports a setting that none of the semantics reads.
func (c *settingsFlags) checkRead(semantics ...model.Semantics) error {
	for _, x := range model.AllSettings() {
		if _, given := c.values[x]; given && !slices.ContainsFunc(semantics, x.ReadBy) {
			readers := slices.DeleteFunc(slices.Clone(model.AllSemantics), func(s model.Semantics) bool { return !x.ReadBy(s) })
			return usagef("--with %s: add --semantics %s, for the semantics to answer by does not read it", x.Name,
				strings.Join(cli.NamesOf(readers, model.Semantics.String), " or "))
		}
	}
	return nil
}

// setDefaultLayers sets the number of layers unless the flag does.
func (c *settingsFlags) setDefaultLayers(layers int) {
	x := model.SettingNamed("layers")
	if _, given := c.values[x]; !given {
		c.values[x] = float64(layers)
	}
}

// settingOptions are options that store settings in values.
func settingOptions(values map[*model.Setting]float64) []cli.Option {
	var list []cli.Option
	for _, x := range model.AllSettings() {
		help := x.Help
		if x.Symbol != "" {
			help = x.Symbol + ", the " + x.Help
		}
		list = append(list, cli.Option{Name: x.Name, Help: help, Set: func(text string) error {
			value, err := x.Parse(text)
			values[x] = value
			return err
		}})
	}
	return list
}

// apply returns s with the settings of the flag.
func (c *settingsFlags) apply(s model.Settings) model.Settings {
	for x, value := range c.values { // of one setting each: the order does not matter
		x.Set(&s, value)
	}
	return s
}

// newSettingsFlags are the settings of a new model.
type newSettingsFlags struct {
	settingsFlags
	missingFlag
	NoCalibration bool `name:"no-calibration" help:"Do not calibrate. By default a validation split beside the graph sets temperatures, semantics and the settings that --with does not give, as efoc calibrate does; that takes about a minute."`
}

// settings returns the settings of a new model.
func (c *newSettingsFlags) settings() (model.Settings, error) {
	if c.NoCalibration && len(c.Missing) > 0 {
		return model.Settings{}, usagef("--missing sets what confidence assumes: leave out --no-calibration")
	}
	err := c.readSettings()
	return c.apply(model.DefaultSettings()), err
}

// semanticsFlag chooses the semantics of answers.
type semanticsFlag struct {
	Semantics *model.Semantics `enum:"mixed,nsmp,fit" placeholder:"SEMANTICS" help:"Semantics of answers: nsmp, probabilities by message passing; fit, truth degrees of the best witness; mixed, both. The default is that of the template file, then the best on the model's validation queries (efoc info), then mixed."`
}

// choose returns the semantics of the flag, otherwise the file's, otherwise the model's own.
func (f semanticsFlag) choose(file string, own model.Semantics) model.Semantics {
	if f.Semantics != nil {
		return *f.Semantics
	}
	if file == "" {
		return own
	}
	s, _ := model.ParseSemantics(file) // the file's parser has validated it
	return s
}

// rowsFlag bounds the memory for cached rows of truth degrees and sweeps.
type rowsFlag struct {
	RowsMB int `least:"1" most:"1048576" name:"rows-mb" default:"256" placeholder:"MB" help:"Memory for cached rows of truth degrees, in megabytes; a server caches sweeps of the entity table there, too (default: ${default})."`
}

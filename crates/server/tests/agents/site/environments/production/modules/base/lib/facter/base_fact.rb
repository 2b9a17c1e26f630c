# base

# Five makes under this one, each with a hundred links.
parts := 1 2 3 4 5
ifdef PART
links := $(foreach a,0 1 2 3 4 5 6 7 8 9,$(foreach b,0 1 2 3 4 5 6 7 8 9,out/$(PART)$(a)$(b).cubin))
all: $(links)
out/%.cubin:
	@$(NVLINK) -arch=sm_90 $(INPUTS)/calls/calls-kernel.sm_90.cubin $(INPUTS)/calls/calls-function.sm_90.cubin -o $@
else
all: $(addprefix part-,$(parts))
part-%: out
	+@$(MAKE) --no-print-directory PART=$*
out:
	@mkdir out
endif

# Machines and stacks with GPUs that are the test itself: ${FAKES}/gpu/<build>/ holds libcuda.so.1 and libnvidia-ml.so.1
# (for LD_LIBRARY_PATH), or libcudart.so.12 (for --library), or all three.
function(stackx_gpu_build build file source)
  string(MAKE_C_IDENTIFIER fake_gpu_${build}_${file} target)
  add_library(${target} SHARED fakes/${source})
  target_compile_definitions(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE -Wno-pedantic)  # _Float16, and functions as dlsym() returns them
  target_link_libraries(${target} PRIVATE m ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${file} SUFFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${FAKES}/gpu/${build} SKIP_BUILD_RPATH TRUE C_STANDARD 11)
  set_property(GLOBAL APPEND PROPERTY STACKX_FAKES ${target})
endfunction()

stackx_gpu_build(right libcuda.so.1 fake_cuda_driver.c)
stackx_gpu_build(right libnvidia-ml.so.1 fake_nvml.c)
stackx_gpu_build(right libcudart.so.12 fake_cudart.c)
foreach(wrong wrong_end=1 wrong_scalar=2 wrong_sum=3 wrong_idle=4 wrong_twice=5 wrong_code=6)
  string(REPLACE "=" ";" wrong ${wrong})
  list(GET wrong 0 build)
  list(GET wrong 1 number)
  stackx_gpu_build(${build} libcuda.so.1 fake_cuda_driver.c WRONG=${number})
endforeach()
foreach(wrong lossy_up=1 lossy_down=2 lossy_within=3 no_events=4 idle_launch=5)
  string(REPLACE "=" ";" wrong ${wrong})
  list(GET wrong 0 build)
  list(GET wrong 1 number)
  stackx_gpu_build(${build} libcudart.so.12 fake_cudart.c WRONG=${number})
endforeach()
